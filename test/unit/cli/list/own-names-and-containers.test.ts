import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

// Names and containers that authors choose themselves.
test.for<readonly [string, unknown, readonly string[]]>([
  [
    'assertions of one word, and what must not be asserted',
    { cases: [{ id: 'a', query: 'Review it', assert: ['Runs the script'], assert_not: ['Guesses'] }] },
    ['eval of x: Review it | judge "Runs the script" | judge "This must not be the case: Guesses"'],
  ],
  [
    'negative assertions that deny something themselves, and that do not',
    [
      { id: 'a', prompt: 'Do it', anti_expectations: ['Does not flag style', 'Rewrites the file'] },
      { id: 'b', prompt: 'Do it', negative_expectations: ['The agent never guesses', 'Guesses a date'] },
    ],
    [
      'eval of x: Do it | judge "Does not flag style" | judge "This must not be the case: Rewrites the file"',
      'eval of x: Do it | judge "The agent never guesses" | judge "This must not be the case: Guesses a date"',
    ],
  ],
  [
    'a prompt that is called after its purpose, and what a user says',
    {
      cases: [
        {
          id: 'a',
          oneShotInstruction: 'Plan it well.',
          pressurePrompt: 'Plan it in a hurry.',
          requiredPatterns: ['Goal'],
        },
        { id: 'b', user: 'I have an idea.', expected: ['Asks one question.'], forbidden: ['Plans at once.'] },
        { id: 'c', prompt: 'Do it', system_prompt: 'You are a judge.', expectations: ['Done'] },
      ],
    },
    [
      'eval of x: Plan it in a hurry. | judge "Required patterns: Goal"',
      'eval of x: I have an idea. | judge "Asks one question." | judge "This must not be the case: Plans at once."',
      'eval of x: Do it | judge "Done"',
      'note cases.0.oneShotInstruction: has no effect: unknown field',
      'note cases.2.system_prompt: has no effect: unknown field',
    ],
  ],
  [
    'an instruction beside the text that it speaks of',
    [
      { id: 'a', task: 'Clean this text.', input: 'One  two  three.', exact_output: 'One two three.' },
      { id: 'b', prompt: 'Write Results.', input: '200 samples, 80 %.', must_preserve: ['80 %'] },
      { id: 'c', task: 'direct', input: 'Clean it all.', expectations: ['Clean'] },
      { id: 'd', input: { body: 'A is 10.', notes: ['B is 12.', 'C is 1.'] }, must_not_repeat: ['A is 10'] },
      { id: 'e', input: { query: 'Find the bug.', lang: 'go' }, expectations: ['Finds it'] },
      { id: 'f', prompt: 'Read it.', input: 'inputs/a.pdf', expectations: ['Reads it'] },
    ],
    [
      'eval of x: Clean this text.\n\nOne  two  three. | judge "Exact output: One two three."',
      'eval of x: Write Results.\n\n200 samples, 80 %. | judge "Must preserve: 80 %"',
      'eval of x: Clean it all. | judge "Clean"',
      'eval of x: body: A is 10.\n\nnotes: B is 12.\nC is 1. | judge "Must not repeat: A is 10"',
      'eval of x: Find the bug. | judge "Finds it"',
      'eval of x: Read it. | judge "Reads it"',
      'note 2.task: has no effect, because there is "input"',
      'note 4.input.lang: has no effect: unknown field',
      'note 5.input: has no effect, because there is "prompt"',
    ],
  ],
  [
    'patterns that must match, and that must not',
    [
      {
        id: 'a',
        prompt: 'Write it',
        must_match: [{ pattern: '5 percent', why: 'It is the difference.' }],
        must_not_match: [{ pattern: 'significant' }, { regex: 'p < ' }],
      },
    ],
    [
      'eval of x: Write it | check "The output matches /5 percent/." | check "The output does not match /significant/." | check "The output does not match /p < /."',
      'note 0.must_match.0.why: has no effect: unknown field',
    ],
  ],
  [
    'entries by category, and lists one level down',
    {
      clean_code: [{ id: 'a', prompt: 'Write a badge', expectedRules: ['It has no magic number'] }],
      a11y: [{ id: 'b', prompt: 'Write a dialog', expectedRules: ['It traps the focus'] }],
    },
    [
      'eval of x: Write a badge | judge "Expected rules: It has no magic number"',
      'eval of x: Write a dialog | judge "Expected rules: It traps the focus"',
    ],
  ],
  [
    'lists of entries in objects, and in groups',
    {
      behavior: { cases: [{ id: 'a', prompt: 'Do it', assertions: ['Done'] }] },
      suites: [{ title: 'More', evals: [{ id: 'b', prompt: 'Do more', assertions: ['All done'] }] }],
      results: { cases: [{ id: 'c', prompt: 'Do it', assertions: ['Done'] }] },
    },
    [
      'eval of x: Do it | judge "Done"',
      'eval of x: Do more | judge "All done"',
      'note results: has no effect: unknown field',
      'note suites.0.title: has no effect: unknown field',
    ],
  ],
  [
    'a word that grades beside what is graded, lists without an element, and flags that demand something',
    [
      { id: 'a', prompt: 'Do it', assertions: ['Done'], checker: { mode: 'all' }, must_not_select: [] },
      { id: 'b', prompt: 'Do it', expected: { durationMustNotBePrompted: true, duration: 3 } },
    ],
    [
      'eval of x: Do it | judge "Done"',
      'eval of x: Do it | judge "duration must not be prompted"',
      'note 0.checker: has no effect: unknown field',
      'note 0.must_not_select: is empty, so it has no effect',
      'note 1.expected.duration: has no effect: unknown field',
    ],
  ],
])('%s', async ([, value, lines]) => {
  expect(await linesOf(value)).toEqual(lines)
})

const AT_ROOT = 'evals/cases.json'

test.for<readonly [string, unknown, readonly string[]]>([
  [
    'no skill as an empty text',
    [
      { prompt: 'Plot it', expect: 'x' },
      { prompt: 'Capital of France?', expect: '' },
    ],
    [
      'trigger of x: Plot it | check "The skill x is used."',
      'trigger of null: Capital of France? | check "No skill is used."',
    ],
  ],
  [
    'skills under names that could list anything',
    {
      cases: [
        { id: 'a', request: 'Search it', must_pick: ['x'], distractors: ['y'] },
        { id: 'b', request: 'Do both', must_load: ['x', 'y'] },
        { id: 'c', request: 'Do one', expected_choice: ['x', 'y'], must_not_route: ['none of these'] },
      ],
    },
    [
      'eval of x: Search it | check "The skill x is used." | check "The skill y is not used."',
      'eval of x: Do both | check "The skill x is used." | check "The skill y is used."',
      'eval of x: Do one | check "The skill x or y is used." | judge "Must not route: none of these"',
    ],
  ],
  [
    'files that a skill has to read beside the skill',
    [{ id: 'a', prompt: 'Review it', expected_skill: 'x', expected_refs: ['references/a.md'], expected_mode: 'broad' }],
    [
      'eval of x: Review it | check "The skill x is used." | judge "Expected refs: references/a.md" | judge "Expected mode: broad"',
    ],
  ],
  [
    'evals of all skills together',
    { cases: [{ id: 'a', prompt: 'Do it', acceptance: ['Edits at once'] }] },
    ['eval of null: Do it | judge "Edits at once"'],
  ],
  [
    'questions and answers of another program, which name no skill',
    [{ question: 'How much is it?', expected_answer: 'Ten.' }],
    [
      'note: evals/cases.json matches no skill. Write "skill_name": "x" to connect it to its skill. Skills: x, y.',
      'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.',
    ],
  ],
])('beside several skills: %s', async ([, value, lines]) => {
  expect(await linesOf(value, {}, AT_ROOT)).toEqual(lines)
})

test('the name of a plugin means all its skills, and a name of nothing is no reason to run', async () => {
  const evals = { skill_name: 'all-of-it', evals: [{ id: 1, prompt: 'Do it', expectations: ['Done'] }] }
  const plugin = { '.claude-plugin/plugin.json': JSON.stringify({ name: 'all-of-it' }) }
  expect(await linesOf(evals, plugin, 'evals/evals.json')).toEqual([
    'eval of null: Do it | judge "Done"',
    'note skill_name: has no effect: there is no skill "all-of-it"; each entry is about the skill that it names, or about all',
  ])
  expect(await linesOf(evals, {}, 'evals/evals.json')).toEqual([
    'note: evals/evals.json matches no skill. Write "skill_name": "x" to connect it to its skill. Skills: x, y.',
    'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.',
  ])
})
