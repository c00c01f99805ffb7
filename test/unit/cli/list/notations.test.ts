import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

const CASES = `# Cases of two skills
version: 1
cases:
  - id: first
    skill: x
    prompt: |-
      Read this letter.

      It has two pages.
    expect:
      - "Names the date"
      - 说明缺少签名
  - id: second
    skill: y
    prompt: Sing
    should_trigger: false
    must_not: [a song]
    difficulty: 2
`

test('a suite in YAML is read as one in JSON is', async () => {
  expect(await linesOf(CASES, {}, 'evals/cases.yaml')).toEqual([
    'eval of x: Read this letter.\n\nIt has two pages. | judge "Names the date" | judge "说明缺少签名"',
    'eval of y: Sing | check "The skill y is not used." | judge "This must not be the case: a song"',
    'note cases.1.difficulty: has no effect: unknown field',
  ])
  const queries = '- query: Do x\n  should_trigger: true\n- query: Sing\n  should_trigger: false\n'
  expect(await linesOf(queries, {}, 'skills/x/evals/triggers.yml')).toEqual([
    'trigger of x: Do x | check "The skill x is used."',
    'trigger of x: Sing | check "The skill x is not used."',
  ])
})

test('the tests of a skill that lie beside it, as an action for pull requests reads them', async () => {
  const tests = `skill: plugin:x
tests:
  - id: positive
    prompt: Do x
    should_trigger: true
  - id: negative
    prompt: Sing
    should_trigger: false
`
  expect(await linesOf(tests, {}, 'skills/x/skill-tests.yaml')).toEqual([
    'trigger of x: Do x | check "The skill x is used."',
    'trigger of x: Sing | check "The skill x is not used."',
  ])
})

test('the prompts that a skill is tried with, and what is expected of each by its value', async () => {
  const prompts = [
    { id: 1, prompt: '拆书', expected: '应该停下来询问用户' },
    { id: 2, prompt: 'Plan it', expected: 'Names three steps', expectations: ['Asks first'] },
    { id: 3, prompt: 'Do x', expected: 'trigger' },
    { id: 4, prompt: 'Sing', expected: false },
    { id: 5, request: 'Do it', expected: ['Asks first', 'Changes nothing'] },
    { id: 6, prompt: 'Add 2 and 2', expected: '4' },
  ]
  const unclear = '"fields": { "expected": "expected-skill" } or "fields": { "expected": "context" }'
  expect(await linesOf(prompts, {}, 'skills/x/test-prompts.json')).toEqual([
    'eval of x: 拆书 | judge "应该停下来询问用户"',
    'eval of x: Plan it | judge "Asks first" | context "Names three steps"',
    'trigger of x: Do x | check "The skill x is used."',
    'trigger of x: Sing | check "The skill x is not used."',
    'eval of x: Do it | judge "Asks first" | judge "Changes nothing"',
    'eval of x: Add 2 and 2',
    `note 5.expected: has no effect: it may name a skill or be an answer. Add ${unclear} to evals/eval-config.json`,
    'note 5.expectations: no expectations, so no result can be right or wrong, so the eval is skipped',
  ])
})

test('answers of one word are of another program, until a line says what they are', async () => {
  const file = 'skills/x/evals/answers.json'
  const answers = JSON.stringify([
    { input: 'Add 2 and 2', expected: '4' },
    { input: 'Is it good?', expected: 'positive' },
  ])
  expect(await linesOf(answers, {}, file)).toContain(
    `note: ${file} is no suite: has no entry with a prompt and an expectation. Its "expected" may be one: add "fields": { "expected": "expected-skill" } to evals/eval-config.json.`,
  )
  const settled = { 'skills/x/evals/eval-config.json': '{ "version": 1, "fields": { "expected": "context" } }' }
  expect(await linesOf(answers, settled, file)).toContain('eval of x: Add 2 and 2 | judge "4"')
})

test('a file whose own name for what is expected has no role is a suite once a line settles it', async () => {
  const file = 'skills/x/evals/trigger-evals.json'
  const cases = JSON.stringify({ cases: [{ prompt: 'Do x', must_use_skill: 'x' }] })
  const settled = {
    'skills/x/evals/eval-config.json': '{ "version": 1, "fields": { "must_use_skill": "expected-skill" } }',
  }
  expect(await linesOf(cases, {}, file)).toContain(
    `note: ${file} is no suite: has no entry with a prompt and an expectation. Its "must_use_skill" may be one: add "fields": { "must_use_skill": "expected-skill" } to evals/eval-config.json.`,
  )
  expect(await linesOf(cases, settled, file)).toContain('trigger of x: Do x | check "The skill x is used."')
  const lists = JSON.stringify({ probes: [{ prompt: 'Do x', should_trigger: true }] })
  expect(await linesOf(lists, {}, file)).toContain(
    `note: ${file} is no suite: contains no list of evals. Its "probes" may be one: add "fields": { "probes": "evals" } to evals/eval-config.json.`,
  )
})

test.for(['trigger_evals', 'own_name'])('queries by their direction in an object called %s are read', async (name) => {
  const queries = {
    description: 'Of the description',
    runs_per_query: 2,
    of_august: true,
    should_trigger: ['Do x', { query: 'Do it all', rationale: 'Plain' }],
    should_not_trigger: ['Sing'],
  }
  const evals = [{ id: 'a', prompt: 'Do it', expectations: ['Done'] }]
  const both = { skill_name: 'x', evals, [name]: queries }
  const read = ['Do x', 'Do it all'].map((query) => `trigger of x: ${query} | check "The skill x is used."`)
  expect(await linesOf(both)).toEqual([
    'eval of x: Do it | judge "Done"',
    ...read,
    'trigger of x: Sing | check "The skill x is not used."',
    `note ${name}.runs_per_query: has no effect here; write it at the top of the file`,
    `note ${name}.of_august: has no effect: unknown field`,
  ])
  // One that its author settles as something else, and one that holds results, is none.
  const settled = { 'evals/eval-config.json': JSON.stringify({ fields: { [name]: 'ignore' } }) }
  expect(await linesOf(both, settled)).toEqual(['eval of x: Do it | judge "Done"'])
  const results = { evals, [name]: { should_trigger: [{ query_id: 1, rate: 1 }] } }
  expect((await linesOf(results)).slice(1)).toEqual([
    name === 'own_name'
      ? 'note own_name: has no effect: unknown field'
      : 'note trigger_evals: expected a list, got an object',
  ])
})

test.for([
  ['skills/x/test-prompts.json', 'positive', 'positives'],
  ['skills/x/test-prompts.json', 'probes', 'evals'],
  ['skills/x/test-prompts.json', 'negative', 'negatives'],
] as const)('%s with queries as %s is a suite once its line is written', async ([file, list, role]) => {
  const line = `"fields": { "${list}": "${role}" }`
  const value = { [list]: [{ id: 1, query: 'Do x', ...(role === 'evals' ? { should_trigger: true } : {}) }] }
  expect(await linesOf(value, {}, file)).toContain(
    `note: ${file} is no suite: contains no list of evals. Its "${list}" may be one: add ${line} to evals/eval-config.json.`,
  )
  expect(await linesOf(value, { 'evals/eval-config.json': `{ ${line} }` }, file)).toEqual([
    `trigger of x: Do x | check "The skill x is${role === 'negatives' ? ' not' : ''} used."`,
  ])
})

test('a suite with an entry on each line is read, and its notes have the lines', async () => {
  const lines = [
    { id: 'a', skills: ['x'], prompt: 'Do x', checks: ['Asks first'] },
    { id: 'b', expected_skill: null, prompt: 'Score it', checks: ['Changes nothing'], tools: 'search' },
  ].map((entry) => JSON.stringify(entry))
  expect(await linesOf(`${lines.join('\n\n')}\n`, {}, 'skills/x/evals/cases.jsonl')).toEqual([
    'eval of x: Do x | judge "Asks first"',
    'eval of x: Score it | check "No skill is used." | judge "Changes nothing"',
    'note 1.tools: has no effect: unknown field',
  ])
})

test('a file that sorts prompts into classes of its own is no suite, and one wrong skill is a mistake', async () => {
  const own = { 'skills/x/evals/evals.json': '[{ "id": 1, "prompt": "a", "expectations": ["b"] }]' }
  const lines = (...classes: readonly string[]): string =>
    classes.map((expected) => `${JSON.stringify({ prompt: `Do ${expected}`, expect: expected })}\n`).join('')
  expect(await linesOf(lines('task', 'question', 'task'), own, 'skills/x/evals/corpus/router.jsonl')).toEqual([
    'eval of x: a | judge "b"',
    'note: skills/x/evals/corpus/router.jsonl is no suite: no skill has one of the names that its entries expect, such as "task", "question".',
  ])
  // What an author meant to run is never left out.
  const queries = [
    { prompt: 'Do it', expect: 'old' },
    { prompt: 'Do that', expect: 'older' },
  ]
  const wrong = ['old', 'older'].map(
    (name, index) => `note ${index}.expect: there is no skill "${name}". There are x, y.`,
  )
  expect(await linesOf(queries, {}, 'skills/x/evals/routes.json')).toEqual(wrong)
  expect(await linesOf(lines('old', 'older'), {}, 'skills/x/evals/triggers.jsonl')).toEqual(wrong)
  expect(await linesOf(lines('x', 'question', 'z'), own, 'skills/x/evals/router.jsonl')).toEqual([
    'eval of x: a | judge "b"',
    'trigger of x: Do x | check "The skill x is used."',
    'note 1.expect: there is no skill "question". There are x, y.',
    'note 2.expect: there is no skill "z". There are x, y.',
  ])
  expect(await linesOf(lines('old', 'old'), own, 'skills/x/evals/router.jsonl')).toEqual([
    'eval of x: a | judge "b"',
    'note 0.expect: there is no skill "old". There are x, y.',
    'note 1.expect: there is no skill "old". There are x, y.',
  ])
})

test('a suite in YAML whose author has names of their own says which line settles them', async () => {
  const nothing =
    'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.'
  const noteOf = (file: string, why: string, field: string, role: string): string =>
    `note: ${file} is no suite: ${why}. Its "${field}" may be one: add "fields": { "${field}": "${role}" } to evals/eval-config.json.`
  const none = 'has no entry with a prompt and an expectation'
  const expects = 'evals:\n  - id: a\n    prompt: Do x\n    must_say: [done]\n'
  expect(await linesOf(expects, {}, 'evals/evals.yaml')).toEqual([
    noteOf('evals/evals.yaml', none, 'must_say', 'must'),
    nothing,
  ])
  const config = { 'evals/eval-config.json': '{ "fields": { "must_say": "contains" } }' }
  expect(await linesOf(expects.replace('id: a', 'skill: x'), config, 'evals/evals.yaml')).toContain(
    'eval of x: Do x | check "The output contains "done"."',
  )
  const asks = 'skill: x\ncases:\n  - id: a\n    task: Do x\n    checks: [Done]\n'
  expect(await linesOf(asks, {}, 'skills/x/evals.yaml')).toEqual([
    noteOf('skills/x/evals.yaml', none, 'task', 'prompt'),
    nothing,
  ])
  expect(await linesOf(asks.replace('task', 'prompt'), {}, 'skills/x/evals.yaml')).toEqual([
    'eval of x: Do x | judge "Done"',
  ])
  const several = { 'skills/y/evals/evals.yaml': expects }
  expect(await linesOf(expects, several, 'skills/x/evals/evals.yaml')).toEqual([
    noteOf('skills/x/evals/evals.yaml and 1 more', none, 'must_say', 'must').replace(' is no suite', ' are no suites'),
    nothing,
  ])
})

test('a copy of a suite in another notation is counted and not read', async () => {
  const suite = [{ query: 'Do x', should_trigger: true }]
  const more = { 'skills/x/evals/triggers.jsonl': `${JSON.stringify(suite[0])}\n` }
  expect(await linesOf(suite, more, 'skills/x/evals/triggers.json')).toEqual([
    'trigger of x: Do x | check "The skill x is used."',
    'note: 1 *.jsonl file of another format, ignored (skills/x/evals/triggers.jsonl).',
  ])
})

test('what only looks like one is counted: a log, a case of another tool, a file with a mistake', async () => {
  const entry = JSON.stringify({ prompt: 'a', expectations: ['b'] })
  const more = {
    'skills/x/evals/last-results.jsonl': entry,
    'skills/x/evals/a.eval.yaml': CASES,
    'skills/x/evals/broken.jsonl': `${entry}\n{"prompt": \n`,
    'skills/x/evals/anchors.yaml': 'cases:\n  - &a\n    prompt: a\n    expect: [a b]\n  - *a\n',
  }
  expect(await linesOf({}, more, 'package.json')).toEqual([
    'note: 1 *.eval.yaml file of another format, ignored (skills/x/evals/a.eval.yaml).',
    'note: 1 *.yaml file of another format, ignored (skills/x/evals/anchors.yaml).',
    'note: 2 *.jsonl files of another format, ignored (first: skills/x/evals/broken.jsonl).',
    'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.',
  ])
})
