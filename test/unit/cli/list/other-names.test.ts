import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Use it for ${name}.\n---\nDo it.\n`

// Habits of different authors, each with what it means.
test.for<readonly [string, unknown, readonly string[]]>([
  [
    'a file with one eval, as the guide to skills has it',
    { skills: ['x'], query: 'Extract it', expected_behavior: ['Reads it', 'Saves it'] },
    [
      'eval of x: Extract it | judge "Reads it" | judge "Saves it"',
      "note id: missing; the id is the entry's number 1 until another is inserted before it. Add a stable id",
    ],
  ],
  [
    'assertions that are objects',
    {
      skill_name: 'x',
      evals: [
        {
          id: 0,
          prompt: 'Clean it',
          expected_output: 'A clean file',
          assertions: [
            { text: 'It has 3 rows' },
            { name: 'header', assertion: 'It has a header' },
            { requirement: 'It is sorted' },
            { description: 'It names the author', contains: 'Ada' },
            { regex: '^\\d+$' },
            { file_exists: 'out.csv' },
          ],
        },
      ],
    },
    [
      'eval of x: Clean it | check "It names the author" | check "The output matches /^\\d+$/." | check "out.csv exists." | judge "It has 3 rows" | judge "It has a header" | judge "It is sorted" | context "A clean file"',
      'note evals.0.assertions.1.name: has no effect: unknown field',
    ],
  ],
  [
    'expectations by name',
    {
      evals: [
        {
          id: 1,
          prompt: 'Write',
          expectations: {
            contains: ['Dear', 'Yours'],
            not_contains: 'Hey',
            must_include: ['a date'],
            must_not: 'Shouts',
          },
        },
      ],
    },
    [
      'eval of x: Write | check "The output contains "Dear"." | check "The output contains "Yours"." | check "The output does not contain "Hey"." | judge "This must be included: a date" | judge "This must not be the case: Shouts"',
    ],
  ],
  [
    'names in camel case',
    {
      skillName: 'x',
      evaluations: [
        { id: 1, prompt: 'Do it', expectedOutput: 'Done', expectedBehavior: ['Asks'], successCriteria: ['Ends'] },
        { id: 2, prompt: 'Leave it', shouldTrigger: false },
        { id: 3, prompt: 'Take y', expectedSkill: 'y' },
      ],
    },
    [
      'eval of x: Do it | judge "Asks" | judge "Ends" | context "Done"',
      'trigger of x: Leave it | check "The skill x is not used."',
      'trigger of x: Take y | check "The skill y is used."',
    ],
  ],
  [
    'lists of queries by other names',
    { positive_examples: ['Plan it'], negative_examples: ['Sing it'], should_fire: [{ query: 'Book it' }] },
    [
      'trigger of x: Plan it | check "The skill x is used."',
      'trigger of x: Sing it | check "The skill x is not used."',
      'trigger of x: Book it | check "The skill x is used."',
    ],
  ],
  [
    'directions by other names',
    {
      tests: [
        { prompt: 'a', expected_activation: true },
        { prompt: 'b', should_invoke: false },
        { prompt: 'c', expected: 'no_trigger' },
      ],
    },
    [
      'trigger of x: a | check "The skill x is used."',
      'trigger of x: b | check "The skill x is not used."',
      'trigger of x: c | check "The skill x is not used."',
    ],
  ],
  [
    'what is not expected is no expectation',
    [{ id: 1, prompt: 'Fix it', expected_behavior: ['Adds a test'], unexpected_behavior: ['Deletes a test'] }],
    ['eval of x: Fix it | judge "Adds a test" | judge "This must not be the case: Deletes a test"'],
  ],
  [
    'sentences where a skill could be named, and what fails a case',
    [
      { id: 'a', prompt: 'Take it over', expect: ['status first', 'then verify'], fail: ['starts with a scan'] },
      { id: 'b', prompt: 'Leave it', expect: ['y'] },
    ],
    [
      'eval of x: Take it over | judge "status first" | judge "then verify" | judge "This must not be the case: starts with a scan"',
      'trigger of x: Leave it | check "The skill y is used."',
    ],
  ],
  [
    'criteria by names of their own keep their meaning',
    [
      {
        id: 1,
        prompt: 'Split it',
        evaluation_criteria: { split_is_even: 'Each part has 50 files', docker_not_used: 'Another backend is chosen' },
        rubric: [{ dimension: 'fidelity', pass_if: 'The four commands appear' }],
      },
    ],
    [
      'eval of x: Split it | judge "The four commands appear" | judge "Each part has 50 files" | judge "Another backend is chosen"',
      'note 0.rubric.0.dimension: has no effect: unknown field',
    ],
  ],
  [
    'fields of other tools are named',
    [
      {
        id: 1,
        prompt: 'Fix it',
        expectations: ['It is fixed'],
        watch_out: ['Gives up'],
        max_turns: 5,
        grading: { a: 1 },
      },
    ],
    [
      'eval of x: Fix it | judge "It is fixed"',
      'note 0.watch_out: has no effect: unknown field',
      'note 0.max_turns: has no effect: unknown field',
      'note 0.grading: has no effect: unknown field',
    ],
  ],
])('%s', async ([, value, lines]) => {
  expect(await linesOf(value)).toEqual(lines)
})

test('the evals of a plugin route to each of its skills, under their plain names and under those of the plugin', async () => {
  const evals = [
    { id: 'r', skill: 'roll', prompt: 'Roll', expectations: ['Rolled'] },
    { id: 'b', expected_skill: 'ops:back', prompt: 'Back' },
  ]
  const plugin = {
    'plugins/ops/.claude-plugin/plugin.json': '{ "name": "ops", "version": "1.0.0" }',
    'plugins/ops/skills/roll/SKILL.md': skill('roll'),
    'plugins/ops/skills/back/SKILL.md': skill('back'),
  }
  expect(await linesOf({ evals }, plugin, 'plugins/ops/evals/evals.json')).toEqual([
    'eval of roll: Roll | judge "Rolled"',
    'trigger of back: Back | check "The skill back is used."',
  ])
})

test('queries under the names of skills are about these', async () => {
  const value = { _comment: 'By skill.', x: { positive: ['Do x'], negative: ['Sing'] }, y: { positive: ['Do y'] } }
  expect(await linesOf(value, {}, 'evals/triggers.json')).toEqual([
    'trigger of x: Do x | check "The skill x is used."',
    'trigger of x: Sing | check "The skill x is not used."',
    'trigger of y: Do y | check "The skill y is used."',
  ])
})

test('suites in formats that are not read are counted by name, and copies and schemas of suites are none', async () => {
  const evals = JSON.stringify([{ id: 1, prompt: 'Do it', expectations: ['Done'] }])
  const more = {
    'skills/x/evals/triggers.yml': '- query: a\n',
    'skills/x/evals/prompts.csv': 'id,should_trigger,prompt\n',
    'skills/x/evals/cases.jsonl': '{}\n',
    'skills/y/evals/y.eval.yaml': 'a: 1\n',
    ...Object.fromEntries(
      ['schemas', 'fixtures', 'mocks', 'benchmark', 'workspace'].map((folder) => [
        `skills/x/evals/${folder}/evals.json`,
        evals,
      ]),
    ),
    'skills/x/tests/evals.json': evals,
  }
  expect(await linesOf(evals, more)).toEqual([
    'eval of x: Do it | judge "Done"',
    'note: Evals of x are also in skills/x/tests; only those in skills/x/evals are used.',
    'note: 1 *.jsonl file of another format, ignored (skills/x/evals/cases.jsonl).',
    'note: 1 prompts.csv file of another format, ignored (skills/x/evals/prompts.csv).',
    'note: 1 triggers.yml file of another format, ignored (skills/x/evals/triggers.yml).',
    'note: 1 *.eval.yaml file of another format, ignored (skills/y/evals/y.eval.yaml).',
  ])
})

test('one contradiction fails its case, and the others of the file and of the repository are listed', async () => {
  const value = [
    { id: 'a', prompt: 'Do it', should_trigger: true, should_fire: false },
    { id: 'b', prompt: 'Do that', should_trigger: true },
  ]
  const lines = await linesOf(value, {
    'skills/y/evals/evals.json': JSON.stringify([{ id: 'c', prompt: 'Do more', expectations: ['Done'] }]),
  })
  expect(lines).toEqual([
    'trigger of x: Do it',
    'trigger of x: Do that | check "The skill x is used."',
    'eval of y: Do more | judge "Done"',
    'note 0.should_fire: contradicts "should_trigger"; keep one of them',
  ])
})
