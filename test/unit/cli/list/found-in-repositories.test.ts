import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

// What files of repositories that no test was written for turned out to hold.
test.for<readonly [string, unknown, readonly string[]]>([
  [
    'assertions about skills and texts by kinds of other names',
    {
      skill: 'x',
      should_trigger: [{ id: 'a', prompt: '/x', assertions: [{ type: 'expected_skill', value: 'x' }] }],
      should_not_trigger: [
        {
          id: 'b',
          prompt: 'Audit it',
          expected_skill: 'y',
          forbidden_skills: ['x'],
          assertions: [{ type: 'forbidden_skill', value: 'x' }],
        },
      ],
      safety: [
        {
          id: 'c',
          prompt: 'Force it',
          assertions: [
            { type: 'required_text', value: 'tests' },
            { type: 'forbidden_text', value: 'done' },
            { type: 'requires_verification', value: true },
            { type: 'max_response_lines', value: 5 },
            { type: 'skill_not_used', name: 'y' },
            { type: 'llm-rubric', value: 'Is polite' },
          ],
        },
      ],
    },
    [
      'eval of x: /x | check "The skill x is used." | check "The skill "x" is used."',
      'eval of x: Audit it | check "The skill y is used." | check "The skill x is not used." | check "The skill "x" is not used."',
      'eval of x: Force it | check "The output contains "tests"." | check "The output does not contain "done"." | judge "requires verification" | judge "max response lines: 5" | check "The skill "y" is not used." | judge "Is polite"',
    ],
  ],
  [
    'a value of a kind that another program runs',
    [{ id: 'a', prompt: 'Do it', expectations: ['Done', { type: 'javascript', value: 'output.length > 3' }] }],
    [
      'eval of x: Do it | judge "Done"',
      'note 0.expectations.1: unknown type; write "text", or one of the types contains, contains_phrase, not_contains, not_contains_phrase, regex, contains_pattern, not_regex, not_contains_pattern, file_exists',
    ],
  ],
  [
    'lists of the skills that fire and stay silent',
    [
      { id: 'a', prompt: 'Do it', fires: ['x'], silent: ['y'] },
      { prompt: 'What is it?', fires: [] },
    ],
    [
      'eval of x: Do it | check "The skill x is used." | check "The skill y is not used."',
      'trigger of x: What is it? | check "No skill is used."',
    ],
  ],
  [
    'what passes as a list, and requirements by their numbers',
    [
      {
        id: 'a',
        prompt: 'Do it',
        pass: ['A file is there.'],
        forbidden: ['Guesses.'],
        requirements: ['R1', 'REQ-2'],
      },
      { id: 'b', prompt: 'Do that', expectations: ['Done'], pass: true, requirements: ['Is short'] },
    ],
    [
      'eval of x: Do it | judge "This must not be the case: Guesses." | judge "A file is there."',
      'eval of x: Do that | judge "Done" | judge "Is short"',
      'note 0.requirements: has no effect: unknown field',
      'note 1.pass: has no effect: unknown field',
    ],
  ],
  [
    'no skill where an entry names its own',
    [
      { id: 'a', skill: 'x', prompt: 'Do it', expected: ['Does it well'] },
      { id: 'b', skill: 'none', prompt: 'Find it', expected: ['Searches for it'] },
      { id: 'c', skill: 'none', prompt: 'Hi', should_trigger: false },
    ],
    [
      'eval of x: Do it | judge "Does it well"',
      'eval of x: Find it | check "No skill is used." | judge "Searches for it"',
      'trigger of x: Hi | check "The skill x is not used."',
    ],
  ],
  [
    'texts alone under the name of a skill',
    [
      { skill: 'x', queries: ['Set it up', 'It returns 401'] },
      { skill: 'y', queries: ['Make one'] },
    ],
    [
      'trigger of x: Set it up | check "The skill x is used."',
      'trigger of x: It returns 401 | check "The skill x is used."',
      'trigger of y: Make one | check "The skill y is used."',
    ],
  ],
  [
    'a threshold in points',
    { threshold: 2, cases: [{ query: 'Check it', should_trigger: true }] },
    [
      'trigger of x: Check it | check "The skill x is used."',
      'note threshold: has no effect: a share of runs is at most 1',
    ],
  ],
  [
    'other names of what all entries share, in a file that has no use for one',
    { trigger_rate_threshold: 0.5, runs_per_case: 3, cases: [{ id: 'a', prompt: 'Do it', expectations: ['Done'] }] },
    [
      'eval of x: Do it | judge "Done"',
      'note trigger_rate_threshold: has no effect: the file contains no trigger query; write "pass_threshold"',
    ],
  ],
  [
    'other names of what all entries share that are of no use, or twice',
    {
      runs: 2,
      runs_per_case: 3,
      pass_rate_threshold: 80,
      cases: [{ id: 'a', prompt: 'Do it', expectations: ['Done'] }],
    },
    [
      'eval of x: Do it | judge "Done"',
      'note runs_per_case: has no effect: unknown field',
      'note pass_rate_threshold: has no effect: unknown field',
    ],
  ],
  [
    'what the answer contains, and flags that something is expected or forbidden',
    [
      { id: 'a', prompt: 'Do it', finalContains: ['local'], finalMustNotContain: ['I bought'], forbidWrites: true },
      { id: 'b', prompt: 'Do it', expectNoTools: true, answer_contains: 'A', expected_fail: true },
    ],
    [
      'eval of x: Do it | judge "Final contains: local" | judge "Final must not contain: I bought" | judge "Forbid writes"',
      'eval of x: Do it | judge "Expect no tools" | judge "Answer contains: A"',
      'note 1.expected_fail: has no effect: unknown field',
    ],
  ],
  [
    'a direction with how the skill is triggered',
    [
      { id: 'a', prompt: 'Do it', should_trigger_implicitly: false, must: ['Is short'] },
      { id: 'b', prompt: 'Do it', expected: { skill_activation: 'implicit', requirements: ['Is right'] } },
      { id: 'c', prompt: 'Do it', expected: { skill_activation: 'not_expected', exports: [] } },
    ],
    [
      'eval of x: Do it | check "The skill x is not used." | judge "Is short"',
      'eval of x: Do it | check "The skill x is used." | judge "Is right"',
      'trigger of x: Do it | check "The skill x is not used."',
      'note 2.expected.exports: is empty, so it has no effect',
    ],
  ],
  [
    'commands in a list under a name of the author',
    [
      {
        id: 'a',
        prompt: 'Do it',
        expectations: ['Done'],
        final_checks: [{ cmd: ['node', 'x.mjs'], expect_exit: 0, text: 'It passes every gate' }],
      },
    ],
    [
      'eval of x: Do it | judge "Done" | judge "It passes every gate"',
      'note 0.final_checks.0.cmd: has no effect: an eval runs no command of its suite',
      'note 0.final_checks.0.expect_exit: has no effect: an eval runs no command of its suite',
    ],
  ],
  [
    'a label beside what is expected, and a missing skill by itself',
    [
      { id: 'a', prompt: 'Do it', expect: 'guardrail-redirect', assertions: ['Refuses'] },
      { id: 'b', prompt: 'Do it', expected_primary: 'script' },
    ],
    [
      'eval of x: Do it | judge "Refuses"',
      'note 0.expect: has no effect: there is no skill "guardrail-redirect"',
      'note 1.expected_primary: there is no skill "script". There are x, y.',
    ],
  ],
])('lists %s', async ([, value, lines]) => {
  expect(await linesOf(value)).toEqual(lines)
})

test('lists a file of lines with comments', async () => {
  const text = '// One case per line.\n\n{"prompt": "Do it", "should_trigger": true}\n# Not now:\n'
  expect(await linesOf(text, {}, 'skills/x/evals/triggers.jsonl')).toEqual([
    'trigger of x: Do it | check "The skill x is used."',
  ])
})

test('lists what the skill creator made for a whole package', async () => {
  const evals = [{ id: 0, prompt: 'I pushed a change.', expected_output: 'It verifies the sync.', files: [] }]
  expect(await linesOf({ evals }, {}, 'evals/routing.json')).toEqual([
    'eval of null: I pushed a change. | judge "It verifies the sync."',
  ])
})

test('names a field that lists skills as its author does', async () => {
  const cases = [{ id: 'a', prompt: 'Do it', expected_skill: 'none', must_not_win: ['y'] }]
  expect(await linesOf({ cases })).toEqual([
    'trigger of x: Do it | check "No skill is used."',
    'note cases.0.must_not_win: has no effect: no skill at all may be used',
  ])
})

test('takes good and bad examples of a whole package for no direction', async () => {
  const suite = {
    positive: [{ id: 'a', prompt: 'Audit it', expected_skill: 'x', must_find: ['A title'] }],
    negative: [{ id: 'b', prompt: 'Why?', expected_behavior: 'Asks for the page.' }],
  }
  expect(await linesOf(suite, {}, 'tests/evals.json')).toEqual([
    'eval of x: Audit it | check "The skill x is used." | judge "Must find: A title"',
    'eval of null: Why? | judge "Asks for the page."',
  ])
})

test('names an empty list of skills', async () => {
  const cases = [{ id: 'a', prompt: 'Score it', skills: [], checks: ['No skill is selected.'] }]
  expect(await linesOf({ cases })).toEqual([
    'eval of x: Score it | judge "No skill is selected."',
    'note cases.0.skills: is empty, so it has no effect',
  ])
})
