import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

// What authors expect under names of their own, and what a prompt needs.
test.for<readonly [string, unknown, readonly string[]]>([
  [
    'names and values under "expect", "expected" and "validation"',
    [
      {
        id: 1,
        request: 'Rewrite my mail.',
        expect: {
          required_stops: 1,
          maximum_questions: 2,
          broad_research: false,
          prompt_only: true,
          mutation: 'read-only',
        },
      },
      {
        id: 2,
        prompt: 'b',
        validation: {
          artifact_schema: ['Has a section for each finding.', 'Names the owner of each.'],
          allowed_languages: ['en', 'de'],
          handoff: { format: 'one table', signed: true },
          stable_finding_ids: true,
        },
      },
      { id: 3, prompt: 'c', expected_output: { description: 'A table', rows: 3 } },
    ],
    [
      'eval of x: Rewrite my mail. | judge "Required stops: 1" | judge "maximum questions: 2" | judge "not: broad research" | judge "prompt only" | judge "mutation: read-only"',
      'eval of x: b | judge "artifact schema: Has a section for each finding." | judge "artifact schema: Names the owner of each." | judge "allowed languages: en, de" | judge "handoff format: one table" | judge "handoff signed" | judge "stable finding ids"',
      'eval of x: c | judge "rows: 3" | context "A table"',
    ],
  ],
  [
    'no expectation in what sorts, weighs, limits, runs or explains a case',
    [
      {
        id: 1,
        prompt: 'a',
        expect: {
          must: 'Asks',
          weight: 2,
          min_score: 0.8,
          threshold: 0.5,
          timeout_seconds: 30,
          max_turns: 4,
          id: 'E1',
          rule_ids: ['R1'],
          tags: ['slow'],
          priority: 'high',
          rationale: 'It asked too late.',
          case_sensitive: false,
          retries: 2,
          limits: { max_tokens: 500 },
        },
        validation: { command: 'npm test', script: 'check.py' },
      },
      { id: 2, prompt: 'b', must: 'Asks', required_score: 3, expected_runs: 2, focus: 'speed' },
    ],
    [
      'eval of x: a | judge "Asks"',
      'eval of x: b | judge "Asks"',
      ...['weight', 'min_score', 'threshold', 'timeout_seconds', 'max_turns', 'id', 'rule_ids', 'tags', 'priority']
        .concat('rationale', 'case_sensitive', 'retries', 'limits.max_tokens')
        .map((field) => `note 0.expect.${field}: has no effect: unknown field`),
      'note 0.validation.command: has no effect: unknown field',
      'note 0.validation.script: has no effect: unknown field',
      ...['required_score', 'expected_runs', 'focus'].map((field) => `note 1.${field}: has no effect: unknown field`),
    ],
  ],
  [
    'names and values beside a skill, where a single word may be about it',
    [
      { id: 1, prompt: 'a', expected: { skill: 'x', mode: 'quick' } },
      { id: 2, prompt: 'b', expected: { skill: 'x', mode: 'quick', questions: 0 } },
    ],
    [
      'trigger of x: a | check "The skill x is used."',
      'eval of x: b | check "The skill x is used." | judge "mode: quick" | judge "questions: 0"',
      'note 0.expected.mode: has no effect: unknown field',
    ],
  ],
  [
    'what is expected of every eval of a file, and a list under "focus"',
    {
      criteria: ['Names its sources', { id: 'scope', check: 'Changes one file', weight: 2 }, { id: 'cost' }],
      global_expectations: 'Runs nothing',
      evals: [{ id: 1, prompt: 'a', focus: ['The claims', 'The figures'] }],
      positive: ['Use x'],
    },
    [
      'eval of x: a | judge "Focus: The claims" | judge "Focus: The figures" | judge "Names its sources" | judge "Changes one file" | judge "Runs nothing"',
      'trigger of x: Use x | check "The skill x is used."',
      'note criteria: has no effect on trigger queries; it applies to the evals',
      'note global_expectations: has no effect on trigger queries; it applies to the evals',
      'note criteria.1.id: has no effect: unknown field',
      'note criteria.1.weight: has no effect: unknown field',
      'note criteria.2: has no effect: neither a text nor a check of a known type',
    ],
  ],
  [
    'the weights of a score and the criteria of queries as what they are',
    { criteria: { accuracy: 0.5 }, shared_criteria: ['Asks'], should_trigger: ['Use x'], should_not_trigger: ['Sing'] },
    [
      'trigger of x: Use x | check "The skill x is used."',
      'trigger of x: Sing | check "The skill x is not used."',
      'note criteria: has no effect: unknown field',
      'note shared_criteria: has no effect: the file contains only trigger queries',
    ],
  ],
  [
    'the texts that a prompt needs',
    [
      { id: 1, prompt: 'Read the chart.', context: 'It is there and not legible.', must: 'Asks' },
      {
        id: 2,
        prompt: 'Thanks in one line.',
        fixture: { source_text: 'We thank you all.', form: 'one line' },
        must: 'Asks',
      },
      { id: 3, prompt: 'Plan it', invocation: '/plan', situation: 'Plan it', must: 'Asks' },
      {
        id: 4,
        prompt: 'Fix it',
        fixture: 'an empty project',
        context: 'billing',
        invocation: 'implicit',
        must: 'Asks',
      },
      {
        id: 5,
        prompt: 'Fix it',
        fixture: { path: 'a b', mood: 'very bad' },
        context: 'Tests the refusal',
        must: 'Asks',
      },
      { query: 'Sing', should_trigger: false, context: 'Not a task for it.' },
    ],
    [
      'eval of x: Read the chart.\n\nIt is there and not legible. | judge "Asks"',
      'eval of x: Thanks in one line.\n\nsource text: We thank you all.\n\nform: one line | judge "Asks"',
      'eval of x: /plan Plan it | judge "Asks"',
      'eval of x: Fix it | judge "Asks"',
      'eval of x: Fix it | judge "Asks"',
      'trigger of x: Sing | check "The skill x is not used."',
      'note 3.fixture: has no effect: unknown field',
      'note 3.context: has no effect: unknown field',
      'note 3.invocation: has no effect: unknown field',
      'note 4.fixture: has no effect: unknown field',
      'note 4.context: has no effect: unknown field',
      'note 5.context: has no effect: unknown field',
    ],
  ],
  [
    'a scenario as the prompt where nothing else can be it',
    [
      { id: 1, scenario: 'The user asks for a review.', rationale: 'It was forgotten once.', must: 'Asks' },
      { id: 2, prompt: 'b', scenario: 'The user asks for a review.', must: 'Asks' },
    ],
    [
      'eval of x: The user asks for a review. | judge "Asks"',
      'eval of x: b | judge "Asks"',
      'note 0.prompt: missing; "scenario" is sent as the prompt, since nothing else of the entry can be it',
      'note 0.rationale: has no effect: unknown field',
      'note 1.scenario: has no effect: unknown field',
    ],
  ],
  [
    'no prompt where two texts can be it, or none is a sentence',
    [
      { id: 1, prompt: 'a', must: 'Asks' },
      { id: 2, scenario: 'The user asks for a review.', steps: 'Open the file first.', must: 'Asks' },
      { id: 3, scenario: 'happy-path', must: 'Asks' },
      { id: 4, scenario: 'The user asks twice.', messages: [{ role: 'user', content: 'd' }], must: 'Asks' },
    ],
    [
      'eval of x: a | judge "Asks"',
      'eval of x:  | judge "Asks"',
      'eval of x:  | judge "Asks"',
      'eval of x: d | judge "Asks"',
      'note 1.scenario: has no effect: unknown field',
      'note 1.steps: has no effect: unknown field',
      'note 1.prompt: missing; expected a string, the prompt of the agent',
      'note 2.scenario: has no effect: unknown field',
      'note 2.prompt: missing; expected a string, the prompt of the agent',
      'note 3.scenario: has no effect: unknown field',
    ],
  ],
  [
    'the files that a query should make the agent read',
    {
      routing: [
        {
          id: 'a',
          prompt: 'Count them',
          expect_load: true,
          expected_file_reads: ['references/query.md'],
          reason: 'SQL',
        },
        { id: 'b', prompt: 'Sing', expect_load: false },
      ],
    },
    [
      'eval of x: Count them | check "The skill x is used." | judge "Expected file reads: references/query.md"',
      'trigger of x: Sing | check "The skill x is not used."',
      'note routing.0.reason: has no effect: unknown field',
    ],
  ],
])('lists %s', async ([, value, lines]) => {
  expect(await linesOf(value)).toEqual(lines)
})
