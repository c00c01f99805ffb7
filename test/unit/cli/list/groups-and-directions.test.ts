import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'
import type { FileTree } from 'fs-fixture'

// Shapes of files of different authors, each with what it means.
test.for<readonly [string, unknown, readonly string[]]>([
  [
    'a direction that is true or false under a name for skills',
    {
      skill: 'plugin:x',
      queries: [
        { q: 'a', expect: true },
        { q: 'b', expect: false },
      ],
    },
    ['trigger of x: a | check "The skill x is used."', 'trigger of x: b | check "The skill x is not used."'],
  ],
  [
    'directions by a word in a label, where nothing else is expected',
    {
      evals: [
        { skill_name: 'y', polarity: 'positive', prompt: 'a' },
        { skill_name: 'x', polarity: 'negative', prompt: 'b' },
        { prompt: 'c', expected_action: 'activate' },
        { prompt: 'd', expected_action: 'do_not_activate' },
        { id: 'e', prompt: 'e', type: 'negative', expectations: ['Refuses'] },
      ],
    },
    [
      'trigger of y: a | check "The skill y is used."',
      'trigger of x: b | check "The skill x is not used."',
      'trigger of x: c | check "The skill x is used."',
      'trigger of x: d | check "The skill x is not used."',
      'eval of x: e | judge "Refuses"',
      'note evals.4.type: has no effect: unknown field',
    ],
  ],
  [
    'queries whose skill is the answer, or none',
    [
      { query: 'a', skill: 'x' },
      { query: 'b', skill: 'y' },
      { query: 'c', skill: null },
    ],
    [
      'trigger of x: a | check "The skill x is used."',
      'trigger of x: b | check "The skill y is used."',
      'trigger of x: c | check "No skill is used."',
    ],
  ],
  [
    'a list of groups, each with the queries of a skill and near misses of it',
    [
      {
        skill: 'x',
        should: ['a'],
        near: [
          { prompt: 'b', expect: 'y' },
          { prompt: 'c', expect: null },
        ],
        weight: 2,
      },
      { skill: 'y', should: [{ prompt: 'd' }], near_misses: ['e'] },
    ],
    [
      'trigger of x: a | check "The skill x is used."',
      'trigger of x: b | check "The skill y is used."',
      'trigger of x: c | check "No skill is used."',
      'trigger of y: d | check "The skill y is used."',
      'trigger of y: e | check "The skill y is not used."',
      'note 0.weight: has no effect: unknown field',
    ],
  ],
  [
    'queries that must not trigger this skill, with the one that takes them',
    { should_not_trigger: [{ prompt: 'a', expected_skill: 'y' }, { prompt: 'b', expected_skill: 'x' }, 'c'] },
    [
      'eval of x: a | check "The skill y is used." | check "The skill x is not used."',
      'trigger of x: b | check "The skill x is not used."',
      'trigger of x: c | check "The skill x is not used."',
      "note should_not_trigger.0.id: missing; the id is the entry's number 1 until another is inserted before it. Add a stable id",
    ],
  ],
  [
    'a list under a name of its own',
    {
      static: [{ id: 's', command: 'true', expect_exit: 0 }],
      codex_cases: [{ id: 'c', prompt: 'Do it', expected_outcome: 'Done' }],
      archived_cases: [{ id: 'd', prompt: 'Do that', expected_outcome: 'Done' }],
    },
    [
      'eval of x: Do it | judge "Done"',
      'note static: has no effect: unknown field',
      'note archived_cases: has no effect: unknown field',
    ],
  ],
  [
    'skills that may be used and need not, and those that must not',
    {
      cases: [
        { id: 1, prompt: 'a', expected_skills: ['x'], allowed_skills: ['y'], forbidden_skills: [] },
        { id: 2, prompt: 'b', expected_skills: [], allowed_skills: ['y'], forbidden_skills: ['x'] },
        { id: 3, prompt: 'c', expect_selected: ['x'], expect_not_selected: ['y'], assertions: ['Ends'] },
        { id: 4, prompt: 'd', expectedSkill: 'x', unexpectedSkills: ['y'] },
        { id: 5, prompt: 'e', expected: ['x'], excluded: ['y'] },
        { id: 6, prompt: 'f', expected: ['Asks first'], forbidden: ['Invents values'] },
        { id: 7, prompt: 'g', expected: 'x', forbidden: ['y'] },
      ],
    },
    [
      'trigger of x: a | check "The skill x is used."',
      'trigger of x: b | check "The skill x is not used."',
      'eval of x: c | check "The skill x is used." | check "The skill y is not used." | judge "Ends"',
      'eval of x: d | check "The skill x is used." | check "The skill y is not used."',
      'eval of x: e | check "The skill x is used." | check "The skill y is not used."',
      'eval of x: f | judge "Asks first" | judge "This must not be the case: Invents values"',
      'eval of x: g | check "The skill x is used." | check "The skill y is not used."',
      'note cases.0.allowed_skills: has no effect: other skills may be used anyway',
      'note cases.1.allowed_skills: no skill is expected: only the use of skills that are not acceptable fails the case',
      'note cases.1.forbidden_skills: no skill is expected: only the use of skills that are not acceptable fails the case',
    ],
  ],
  [
    'expectations by further names, and checks by a word before a colon',
    {
      evals: [
        {
          id: 1,
          prompt: 'a',
          scorers: [
            { type: 'regex', pattern: 'tidy' },
            { type: 'llm_judge', criterion: 'Is it short?' },
          ],
          required_actions: ['Maps it'],
          forbidden_actions: ['Guesses'],
          must_have: ['a table'],
          must_avoid: ['eBay'],
        },
        { id: 2, prompt: 'b', assertions: ['contains:rows', 'matches:(?i)(sum|total)', 'contains: an introduction'] },
      ],
    },
    [
      'eval of x: a | check "The output matches /tidy/." | judge "Is it short?" | judge "Maps it" | judge "This must be included: a table" | judge "This must not be the case: eBay" | judge "This must not be the case: Guesses"',
      'eval of x: b | check "contains:rows" | check "matches:(?i)(sum|total)" | judge "contains: an introduction"',
    ],
  ],
  [
    'files by their paths',
    { evals: [{ id: 1, prompt: 'a', files: { 'docs/map.md': '# Map' }, expectations: ['Reads it'] }] },
    ['eval of x: a | judge "Reads it"'],
  ],
  [
    'the name of a skill where a direction could be',
    {
      skills_tested: ['x', 'y'],
      evals: [
        { id: 1, query: 'a', should_trigger: 'plugin:y' },
        { id: 2, query: 'b', should_not_trigger: 'y' },
        { id: 3, query: 'c', should_trigger: 'yes' },
        { id: 4, query: 'd', should_trigger: 'no' },
      ],
    },
    [
      'trigger of x: a | check "The skill y is used."',
      'trigger of x: b | check "The skill y is not used."',
      'trigger of x: c | check "The skill x is used."',
      'trigger of x: d | check "The skill x is not used."',
      'note skills_tested: has no effect: unknown field',
    ],
  ],
])('%s', async ([, value, lines]) => {
  expect(await linesOf(value)).toEqual(lines)
})

test('what is not read is named once, and never with a remark that there is no file', async () => {
  const of = async (more: FileTree): Promise<readonly string[]> => linesOf({}, more, 'package.json')
  expect(await of({ 'evals/cases.yaml': 'cases: []\n', 'evals/more.yml': 'a: 1\n', 'a.eval.md': '# A\n' })).toEqual([
    'note: 1 *.eval.md file of another format, ignored (a.eval.md).',
    'note: 2 *.yaml files of another format, ignored (first: evals/cases.yaml).',
    NONE_READ,
  ])
  // Beside the file of another tool its cases are its own, also at a place of ours.
  const cases = { 'skills/x/evals/cases/a.yaml': 'id: a\nturns: []\n' }
  expect(await of({ ...cases, 'skills/x/evals/eval.yaml': 'cases: {}\n' })).toEqual([
    'note: 1 eval.yaml file of another format, ignored (skills/x/evals/eval.yaml).',
    NONE_READ,
  ])
  expect((await of(cases)).join('\n')).toContain('note judge: missing')
})

test('a group under an unknown name is one mistake', async () => {
  expect(await linesOf({ x: { positive: ['a'] }, gone: { positive: ['b', 'c'], negative: ['d'] } })).toEqual([
    'trigger of x: a | check "The skill x is used."',
    'note gone: there is no skill "gone".',
  ])
})

test('a direction in a file of no skill in particular is about all of them', async () => {
  const evals = [
    { query: 'a', should_trigger: true, expect_skill: 'y' },
    { query: 'b', should_trigger: false },
    { query: 'c', should_trigger: true },
  ]
  expect(await linesOf({ evals }, {}, 'evals/trigger-eval.json')).toEqual([
    'trigger of y: a | check "The skill y is used."',
    'trigger of null: b | check "No skill is used."',
    'trigger of x: c | check "The skill x or y is used."',
  ])
})

const NONE_READ =
  'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.'
