import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

// Fields that are in no list: their names say what is expected. Each shape is one that authors use.
test.for<readonly [string, unknown, readonly string[]]>([
  [
    'what must be kept, found, asked and not invented',
    {
      cases: [
        { id: 1, input: 'a', must_preserve: ['the date', 'two names'], must_not_invent: ['prices'] },
        { id: 2, input: 'b', must_include_one_of: [['cart', 'basket'], ['order']], must_say_any_of: ['yes', 'no'] },
        { id: 3, input: 'c', must_ask: ['which shop'], required_output: ['a next step'], must_refuse: true },
        { id: 4, input: 'd', shouldMention: 'a limit', should_ask: false },
      ],
    },
    [
      'eval of x: a | judge "Must preserve: the date" | judge "Must preserve: two names" | judge "Must not invent: prices"',
      'eval of x: b | judge "Must include one of: "cart" or "basket"" | judge "Must include one of: "order"" | judge "Must say any of: "yes" or "no""',
      'eval of x: c | judge "Must ask: which shop" | judge "Required output: a next step" | judge "Must refuse"',
      'eval of x: d | judge "Should mention: a limit" | judge "Should not ask"',
    ],
  ],
  [
    'what makes a result wrong',
    [
      { id: 1, prompt: 'a', assertions: ['Asks'], failure_conditions: ['Invents a plan'], red_flags: ['Hurries'] },
      { id: 2, prompt: 'b', forbidden_claims: ['It is safe'], anti_patterns: 'Guesses', mustNot: ['Publishes'] },
    ],
    [
      'eval of x: a | judge "Asks" | judge "This must not be the case (failure conditions): Invents a plan" | judge "This must not be the case (red flags): Hurries"',
      'eval of x: b | judge "This must not be the case: Publishes" | judge "This must not be the case (forbidden claims): It is safe" | judge "This must not be the case (anti patterns): Guesses"',
    ],
  ],
  [
    'assertions and checks that are lists of sentences or of typed checks',
    [
      {
        id: 1,
        prompt: 'a',
        deterministic_assertions: [
          { type: 'file_exists', target: 'out.md', expected: true, description: 'The file is there' },
          { type: 'file_exists', path: 'old.md', expected: false },
          { type: 'exit_code', value: 3 },
          'Names the source',
        ],
        manual_checks: ['Reads well'],
      },
      {
        id: 2,
        prompt: 'b',
        deterministic_assertions: { required_markers: ['STYLE', 'LYRICS'], contains: ['Title'], max_chars: 200 },
      },
      { id: 3, prompt: 'c', expectations: ['Ends'], machine_checks: [{ type: 'file_exists', path: 'a.md' }] },
    ],
    [
      'eval of x: a | check "The file is there" | check "old.md does not exist" | judge "Names the source" | judge "Reads well"',
      'eval of x: b | check "The output contains "Title"." | judge "Required markers: STYLE" | judge "Required markers: LYRICS"',
      'eval of x: c | judge "Ends"',
      'note 0.deterministic_assertions.2: has no effect: neither a text nor a check of a known type',
      'note 1.deterministic_assertions.max_chars: has no effect: neither a text nor a list of texts',
      'note 2.machine_checks: has no effect: unknown field',
    ],
  ],
  [
    'an action that is expected and no direction',
    {
      skill: 'x',
      cases: [
        { id: 1, input: 'a', expected_action: 'activate', expected_route: 'query.py' },
        { id: 2, input: 'b', expected_action: 'ask', expected_route: 'collect the service and the time' },
        { id: 3, input: 'c', expect_behavior: 'refuse', expect_refs: ['references/a.md'], expect_mode: 'n/a' },
      ],
    },
    [
      'trigger of x: a | check "The skill x is used."',
      'eval of x: b | judge "Expected action: ask" | judge "Expected route: collect the service and the time"',
      'eval of x: c | judge "Expect behavior: refuse" | judge "Expect refs: references/a.md"',
      'note cases.0.expected_route: has no effect: unknown field',
      'note cases.2.expect_mode: has no effect: unknown field',
    ],
  ],
  [
    'an object under "expect" or "expected"',
    {
      cases: [
        { id: 1, prompt: 'a', expect: { skill: 'y', must_contain: ['a total'], must_not_ask: ['the date'] } },
        { id: 2, prompt: 'b', expected: { triggered: false, mode: 'quick' } },
        { id: 3, prompt: 'c', expected: { contains: ['Sum'], behavior: 'Adds up', output: 'A table' } },
      ],
    },
    [
      'eval of x: a | check "The skill y is used." | judge "This must be included: a total" | judge "Must not ask: the date"',
      'trigger of x: b | check "The skill x is not used."',
      'eval of x: c | check "The output contains "Sum"." | judge "Adds up" | context "A table"',
      'note cases.1.expected.mode: has no effect: unknown field',
    ],
  ],
  [
    'directions that say when or why as well',
    {
      cases: [
        { prompt: 'a', expected: 'trigger_with_project_context' },
        { prompt: 'b', expected: 'do_not_trigger_engine_only' },
        { prompt: 'c', expected: 'Trigger the build and report' },
      ],
    },
    [
      'trigger of x: a | check "The skill x is used."',
      'trigger of x: b | check "The skill x is not used."',
      'eval of x: c | judge "Trigger the build and report"',
      "note cases.2.id: missing; the id is the entry's number 3 until another is inserted before it. Add a stable id",
    ],
  ],
  [
    'names in camel case and with hyphens',
    { skill: 'x', should: ['a'], shouldNot: ['b'], 'positive-cases': ['c'] },
    [
      'trigger of x: a | check "The skill x is used."',
      'trigger of x: b | check "The skill x is not used."',
      'trigger of x: c | check "The skill x is used."',
    ],
  ],
  [
    'several texts in one check',
    [
      {
        id: 1,
        prompt: 'a',
        graders: [
          { type: 'contains_all', values: ['Sum', 'Total'] },
          { type: 'contains_any', values: ['a+b', 'c'] },
          { type: 'not_contains', values: ['eBay'] },
          { type: 'contains', text: 'Dear' },
          { any: ['slow', 'late'], text: 'It warns' },
        ],
      },
    ],
    [
      'eval of x: a | check "The output contains "Sum"." | check "The output contains "Total"." | check "The output matches /a\\+b|c/." | check "The output does not contain "eBay"." | check "The output contains "Dear"." | judge "It warns (it contains one of "slow" or "late")"',
    ],
  ],
  [
    'entries without a prompt or an answer, each with what is missing',
    {
      triggers: [
        'Do x',
        { id: 'b', should_trigger: true },
        { query: 'Sing' },
        { query: 'Use it', should_trigger: true },
      ],
      evals: [
        { id: 1, prompt: 'a' },
        { id: 2, prompt: 'c', assertions: [] },
        { id: 3, assertions: ['Ends'] },
      ],
    },
    [
      'eval of x: a',
      'eval of x: c',
      'eval of x:  | judge "Ends"',
      'trigger of x: Do x',
      'trigger of x: ',
      'trigger of x: Sing',
      'trigger of x: Use it | check "The skill x is used."',
      'note evals.0.expectations: no expectations, so no result can be right or wrong, so the eval is skipped',
      'note evals.1.expectations: no expectations, so no result can be right or wrong, so the eval is skipped',
      'note evals.2.prompt: missing; expected a string, the prompt of the agent',
      'note triggers.0: is a text alone; write an object with "prompt", and "should_trigger" or "expectations"',
      'note triggers.1.prompt: missing; expected a string, the prompt of the agent',
      'note triggers.2.should_trigger: missing; expected true or false',
    ],
  ],
  [
    'expectations that the file lists once, by their ids',
    {
      criteria: [
        { id: 'source', text: 'Names the source' },
        { id: 'short', check: 'Is short', weight: 2 },
        { id: 'unused', text: 'Is never asked' },
      ],
      evals: [
        { id: 1, prompt: 'a', expectation_ids: ['source', 'gone'], must: 'Asks' },
        { id: 2, prompt: 'b', assertions: ['short', 'Ends'] },
      ],
    },
    [
      'eval of x: a | judge "Names the source" | judge "Asks"',
      'eval of x: b | judge "Is short" | judge "Ends"',
      'note criteria.2: has no effect: no entry refers to it',
      'note evals.0.expectation_ids: has no effect: the file lists no expectation "gone"',
      'note evals.1.assertions.0.weight: has no effect: unknown field',
    ],
  ],
  [
    'ids of documents that a search should find, which are no expectations',
    [{ id: 1, prompt: 'a', expectations: ['Ends'], expect_ids: ['restart'] }],
    ['eval of x: a | judge "Ends"', 'note 0.expect_ids: has no effect: the file lists no expectation "restart"'],
  ],
  [
    'commands, which are not run: their sentences are judged, and without one the case alone is errored',
    [
      {
        id: 1,
        prompt: 'a',
        assertions: [
          { id: 'tests', command: 'npm test', expect_exit: 0, description: 'All tests pass' },
          { type: 'script', path: 'evals/check.py', description: 'The table is valid' },
        ],
      },
      { id: 2, prompt: 'b', assertions: ['Ends', { type: 'command', command: 'npm test', expect_exit: 0 }] },
      { id: 3, prompt: 'c', checks: [{ name: 'lint', run: 'cat a.md', contains: 'Total' }] },
      { id: 4, prompt: 'd', expectations: ['Ends'], verifier: { type: 'script', command: 'check.py' } },
    ],
    [
      'eval of x: a | judge "All tests pass" | judge "The table is valid"',
      'eval of x: b | judge "Ends"',
      'eval of x: c',
      'eval of x: d | judge "Ends"',
      'note 0.assertions.0.command: has no effect: an eval runs no command of its suite',
      'note 0.assertions.0.expect_exit: has no effect: an eval runs no command of its suite',
      'note 0.assertions.0.id: has no effect: unknown field',
      'note 0.assertions.1.type: has no effect: an eval runs no command of its suite',
      'note 0.assertions.1.path: has no effect: an eval runs no command of its suite',
      'note 1.assertions.1: is not run: an eval runs no command of its suite. Write a sentence that says what has to hold',
      'note 2.checks.0: is not run: an eval runs no command of its suite. Write a sentence that says what has to hold',
      'note 3.verifier: has no effect: unknown field',
    ],
  ],
  [
    'a file that should be read beside a direction, and near neighbours beside directed lists',
    {
      queries: [{ query: 'a', should_trigger: true, expect: 'topics/disk.md' }],
      should_trigger: [{ text: 'b' }],
      near_neighbor: [{ text: 'c' }],
    },
    [
      'trigger of x: a | check "The skill x is used."',
      'trigger of x: b | check "The skill x is used."',
      'trigger of x: c | check "The skill x is not used."',
      'note queries.0.expect: has no effect: it names no skill',
    ],
  ],
  [
    'checks of a transcript, and of all and any of several texts',
    [
      {
        id: 1,
        prompt: 'a',
        deterministic_checks: [
          { type: 'file_contains', file: 'transcript.md', literal: '### Added', description: 'Has a section' },
        ],
        checks: [{ description: 'Names the type', all: ['Quantity'], any: ['scalar', 'single'] }],
      },
    ],
    [
      'eval of x: a | judge "Names the type (it contains one of "scalar" or "single", and all of "Quantity")" | judge "Has a section (in the transcript: "### Added")"',
      'note 0.deterministic_checks.0.type: has no effect: unknown field',
    ],
  ],
])('%s', async ([, value, lines]) => {
  expect(await linesOf(value)).toEqual(lines)
})

test('an entry with several turns is listed with all of them, and not run', async () => {
  const evals = [
    { id: 1, query_flow: ['Plan it', 'Now do it'], expected_behavior: ['Keeps the plan'] },
    {
      id: 2,
      turns: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
        { user: 'Sum it', expectations: ['Sums'], owner: 'me' },
      ],
    },
    { id: 3, prompt: 'Capture it', followup: 'Again', criteria: ['Updates in place'] },
    { id: 4, messages: [{ role: 'user', content: 'Only this' }], criteria: ['Ends'] },
  ]
  const not = (turns: number): string => `is not run: it has ${turns} turns, and a run sends one prompt`
  expect(await linesOf({ evals })).toEqual([
    'eval of x: Turn 1: Plan it\n\nTurn 2: Now do it | judge "Keeps the plan"',
    'eval of x: Turn 1: Hello\n\nTurn 2: Sum it | judge "Sums"',
    'eval of x: Turn 1: Capture it\n\nTurn 2: Again | judge "Updates in place"',
    'eval of x: Only this | judge "Ends"',
    `note evals.0.query_flow: ${not(2)}`,
    `note evals.1.turns: ${not(2)}`,
    'note evals.1.turns.2.owner: has no effect: unknown field',
    `note evals.2.followup: ${not(2)}`,
  ])
})
