import type { FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

const ways =
  'Write "text" for a sentence that the judge decides, or a type such as "contains", "file_exists" or "tool-called"'

// Entries as authors write them, each with what it means.
test.for<readonly [string, unknown, readonly string[]]>([
  [
    'a skill, and the same one or another',
    [{ id: 1, prompt: 'Do it', route: 'x', expect: ['x', 'y'], checks: ['Done'] }],
    ['eval of x: Do it | check "The skill x is used." | check "The skill x or y is used." | judge "Done"'],
  ],
  [
    'a file with one eval, as the guide to skills has it',
    { skills: ['x'], query: 'Extract it', expected_behavior: ['Reads it', 'Saves it'] },
    [
      'eval of x: Extract it | judge "Reads it" | judge "Saves it"',
      "note id: missing; the entry's number is its id until another is inserted before it. Add a stable id",
    ],
  ],
  [
    'names in camel case and with hyphens',
    {
      skillName: 'x',
      evals: [
        { id: 1, prompt: 'Do it', expectedOutput: 'Done', expectedBehavior: ['Asks'], 'must-not': ['Guesses'] },
        { id: 2, prompt: 'Leave it', shouldTrigger: false },
        { id: 3, prompt: 'Take y', expectedSkill: 'y' },
      ],
      shouldTrigger: ['Use it'],
    },
    [
      'eval of x: Do it | judge "Asks" | judge "This must not be the case: Guesses" | context "Done"',
      'trigger of x: Leave it | check "The skill x is not used."',
      'trigger of x: Take y | check "The skill y is used."',
      'trigger of x: Use it | check "The skill x is used."',
    ],
  ],
  [
    'one name by the type of its value',
    {
      skill: 'plugin:x',
      queries: [
        { q: 'a', expect: true },
        { q: 'b', expect: false },
        { q: 'c', expect: 'no_trigger' },
        { q: 'd', expect: 'plugin:y' },
        { q: 'e', expect: ['x', 'y'] },
        { q: 'f', expect: 'none' },
        { q: 'g', expect: '' },
        { id: 'h', q: 'h', expect: ['Asks first', 'Ends'] },
        { id: 'i', q: 'i', expect: 'Asks first' },
        { id: 'j', q: 'j', expect: '保留全部数字' },
        { id: 'k', q: 'k', expect: { must_not: 'Guesses', assertions: ['Ends'], description: 'Short', mode: 'quick' } },
      ],
    },
    [
      'trigger of x: a | check "The skill x is used."',
      'trigger of x: b | check "The skill x is not used."',
      'trigger of x: c | check "The skill x is not used."',
      'trigger of x: d | check "The skill y is used."',
      'trigger of x: e | check "The skill x or y is used."',
      'trigger of x: f | check "No skill is used."',
      'trigger of x: g | check "No skill is used."',
      'eval of x: h | judge "Asks first" | judge "Ends"',
      'eval of x: i | judge "Asks first"',
      'eval of x: j | judge "保留全部数字"',
      'eval of x: k | judge "This must not be the case: Guesses" | judge "Ends" | context "Short"',
      'note queries.10.expect.mode: has no effect; give it a role in "fields"',
    ],
  ],
  [
    'queries that must not trigger this skill, with the one that takes them',
    { should_not_trigger: [{ prompt: 'a', expected_skill: 'y' }, { prompt: 'b', expected_skill: 'x' }, 'c'] },
    [
      'eval of x: a | check "The skill y is used." | check "The skill x is not used."',
      'trigger of x: b | check "The skill x is not used."',
      'trigger of x: c | check "The skill x is not used."',
      "note should_not_trigger.0.id: missing; the entry's number is its id until another is inserted before it. Add a stable id",
    ],
  ],
  [
    'assertions that are objects',
    [
      {
        id: 0,
        prompt: 'Clean it',
        expected_output: 'A clean file',
        assertions: [
          { text: 'It has 3 rows', id: 'rows' },
          { name: 'header', assertion: 'It has a header' },
          { description: 'It names the author', contains: 'Ada' },
          { regex: '^\\d+$' },
          { file_exists: 'out.csv' },
          { type: 'file_exists', path: 'old.csv', expected: false },
          { type: 'contains_any', values: ['a+b', 'c'], negate: false },
          { type: 'contains_all', values: ['d', 'e'] },
          { contains: 'filter', not_regex: ['(?i)alter table'] },
          { name: 'greets', check: 'contains', value: 'Dear' },
          { text: 'Flags it', check: { contains_any: ['SQL', 'injection'] } },
          { text: 'Is kind', check: { tone: 'kind' } },
          { type: 'tool_use', tool: 'Bash' },
          { type: 'forbidden_skill', value: 'y' },
          { text: 'Was once right', disabled: true },
          'contains:rows',
        ],
      },
    ],
    [
      [
        'eval of x: Clean it',
        'check "It names the author"',
        'check "The output matches /^\\d+$/."',
        'check "out.csv exists."',
        'check "The output matches /a\\+b|c/."',
        'check "The output contains "d"."',
        'check "The output contains "e"."',
        'check "The output contains "filter"."',
        'check "The output does not match /alter table/i."',
        'check "greets"',
        'check "Flags it"',
        'check "The tool Bash is called."',
        'check "The skill y is not used."',
        'check "contains:rows"',
        'judge "It has 3 rows"',
        'judge "It has a header"',
        'judge "old.csv does not exist"',
        'judge "Is kind"',
        'context "A clean file"',
      ].join(' | '),
      'note 0.assertions.11.check: has no effect; give it a role in "fields"',
      'note 0.assertions.14: has no effect: "disabled" takes it out',
    ],
  ],
  [
    'an expectation that cannot be decided, as a mistake of its case alone',
    [
      { id: 1, prompt: 'a', expectations: ['Done', { type: 'javascript', value: 'output.length > 3' }] },
      { id: 2, prompt: 'b', checks: [{ type: 'command', command: 'npm test' }] },
      { id: 3, prompt: 'c', checks: [{ name: 'fine', requirement: 'It is sorted' }] },
      { id: 4, prompt: 'd', checks: [{ text: 'All tests pass', command: 'npm test' }] },
    ],
    [
      'eval of x: a | judge "Done"',
      'eval of x: b',
      'eval of x: c',
      'eval of x: d | judge "All tests pass"',
      `note 0.expectations.1: unknown type "javascript". ${ways}`,
      `note 1.checks.0: unknown type "command". ${ways}`,
      'note 2.checks.0: no field says what has to hold. Write "text"',
      'note 3.checks.0.command: has no effect; give it a role in "fields"',
    ],
  ],
  [
    'expectations by name in an object',
    [
      {
        id: 1,
        prompt: 'Write',
        expectations: { contains: ['Dear', 'Yours'], must_not: 'Shouts', must_include: ['a date'] },
      },
      { id: 2, prompt: 'Read', expected_output: { description: 'A table', rows: 3, artifacts: ['a.csv'] } },
      { id: 3, prompt: 'Sum', expected_output: ['Names the shop', 'Asks for the date'] },
    ],
    [
      'eval of x: Write | check "The output contains "Dear"." | check "The output contains "Yours"." | judge "This must not be the case: Shouts"',
      'eval of x: Read | check "a.csv exists."',
      'eval of x: Sum | judge "Names the shop" | judge "Asks for the date"',
      'note 0.expectations.must_include: has no effect; give it a role in "fields"',
      'note 1.expected_output.rows: has no effect; give it a role in "fields"',
      'note 1.expected_output.description: has no effect: no judge is asked',
    ],
  ],
  [
    'remarks of authors without a note, labels of another type with one',
    [
      {
        id: 1,
        prompt: 'a',
        expectations: ['b'],
        why: 'c',
        notes: ['d'],
        near_miss_of: 'e',
        _own: 'f',
        $ref: 'g',
        runs: { with_skill: 3 },
        category: 7,
      },
    ],
    ['eval of x: a | judge "b"', 'note 0.runs: has no effect', 'note 0.category: has no effect'],
  ],
  [
    'settings of a kind of case',
    {
      runs: 2,
      runs_per_query: 4,
      pass_threshold: 0.5,
      evals: [
        { id: 1, prompt: 'a', expectations: ['b'], trigger_threshold: 0.5 },
        { query: 'c', should_trigger: true, runs: 5, runs_per_query: 6, title: 'd' },
      ],
    },
    [
      'eval of x: a | judge "b"',
      'trigger of x: c | check "The skill x is used."',
      'note runs_per_query: has no effect',
      'note evals.0.trigger_threshold: has no effect',
      'note evals.1.runs: has no effect',
      'note evals.1.title: has no effect',
    ],
  ],
  [
    'two prompts, of which the first is sent',
    [{ id: 1, question: 'a', prompt: 'b', state_prefix: '[step 3]', expectations: ['c'] }],
    ['eval of x: [step 3]\n\na | judge "c"', 'note 0.prompt: has no effect'],
  ],
])('lists %s', async ([, value, lines]) => {
  expect(await linesOf(value)).toEqual(lines)
})

// Hoisted: the table above is made first.
test('the sentence of an expectation under a name of its author is settled as a field of an eval is', async () => {
  const rubric = [
    { dimension: 'fidelity', pass_if: 'The four commands are there', fail_if: 'There is a fifth one' },
    { name: 'neutral', fail_if: 'It names a vendor' },
  ]
  const suite = [{ id: 1, prompt: 'a', rubric }]
  const settled = (fields: object): FileTree => ({ 'skills/x/evals/eval-config.json': JSON.stringify({ fields }) })
  expect(await linesOf(suite, settled({ pass_if: 'must', dimension: 'ignore', failIf: 'must-not' }))).toEqual([
    'eval of x: a | judge "The four commands are there" | judge "This must not be the case: It names a vendor"',
    'note 0.rubric.0.fail_if: has no effect; give it a role in "fields"',
  ])
})

// What an author calls a field without a row changes nothing. A list is no slip of what is true or false.
test.for(['negative_assertions', 'forbidden_skills', 'turns', 'expected_triggers'])(
  'a field %s is a note',
  async (name) => {
    const entry = { id: 1, prompt: 'a', expectations: ['b'] }
    expect(await linesOf([{ ...entry, [name]: ['y'] }])).toEqual([
      'eval of x: a | judge "b"',
      `note 0.${name}: has no effect; give it a role in "fields"`,
    ])
  },
)

test('a direction in words is read under any name once a line settles it, and other words there are named', async () => {
  const suite = ['should_trigger', 'should-not-trigger', 'edge_case'].map((type) => ({ id: type, type, prompt: type }))
  const evals = suite.map((entry) => ({ ...entry, expectations: ['Done'] }))
  const settled = { 'evals/eval-config.json': '{ "fields": { "type": "result" } }' }
  expect(await linesOf(evals, settled)).toEqual([
    'eval of x: should_trigger | check "The skill x is used." | judge "Done"',
    'eval of x: should-not-trigger | check "The skill x is not used." | judge "Done"',
    'eval of x: edge_case | judge "Done"',
    'note 2.type: has no effect',
  ])
  expect((await linesOf(suite.slice(0, 2), settled)).map((line) => line.split(':')[0])).toEqual([
    'trigger of x',
    'trigger of x',
  ])
})

test('a field that its author settles as a prefix is put before the prompt', async () => {
  const suite = [{ id: 1, prompt: 'a', expectations: ['b'], context: 'No essay is there.' }]
  expect(await linesOf(suite, { 'evals/eval-config.json': '{ "fields": { "context": "prefix" } }' })).toEqual([
    'eval of x: No essay is there.\n\na | judge "b"',
  ])
})

test.for<readonly [string, unknown, readonly string[]]>([
  ['should_triger', true, ['note 0.should_triger: unknown field. Did you mean "should_trigger"?']],
  ['expected_skills', ['x', 'y'], ['note 0.expected_skills: unknown field. Did you mean "expected_skill"?']],
  ['expectation', ['c'], ['note 0.expectation: has no effect; give it a role in "fields"']],
  ['should_trigger', 'no', ['note 0.should_trigger: expected true or false, got a string; write false']],
  ['should_trigger', 1, ['note 0.should_trigger: expected true or false, got a number; write true']],
  ['constructor', {}, ['note 0.constructor: unknown field. Remove it.']],
  ['files', ['../a'], ['note 0.files.0: the path leaves the folder with ".."']],
  ['timeout', '10m', ['note 0.timeout: expected a number, got a string; write the number alone']],
])('a field %s with %j is a mistake of its entry alone', async ([name, value, lines]) => {
  expect(await linesOf([{ id: 1, prompt: 'a', expectations: ['b'], [name]: value }])).toEqual([
    'eval of x: a | judge "b"',
    ...lines,
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
