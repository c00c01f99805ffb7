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
    'note cases.1.difficulty: has no effect; give it a role in "fields"',
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
  expect(await linesOf(prompts, {}, 'skills/x/test-prompts.json')).toEqual([
    'eval of x: 拆书 | judge "应该停下来询问用户"',
    'eval of x: Plan it | judge "Asks first" | context "Names three steps"',
    'trigger of x: Do x | check "The skill x is used."',
    'trigger of x: Sing | check "The skill x is not used."',
    'eval of x: Do it | judge "Asks first" | judge "Changes nothing"',
    'eval of x: Add 2 and 2',
    'note 5.expectations: no expectations, so no result can be right or wrong, so the eval is skipped',
    'note 5.expected: has no effect; give it a role in "fields"',
  ])
})

test('a file is a suite once a line settles the name of what its entries expect, or of their list', async () => {
  const file = 'skills/x/evals/trigger-evals.json'
  const reads = async (suite: unknown, fields: object, path: string = file): Promise<readonly string[]> => {
    const none = (await linesOf(suite, {}, path)).filter((line) => !line.startsWith('note'))
    expect(none).toEqual([])
    return linesOf(suite, { 'evals/eval-config.json': JSON.stringify({ fields }) }, path)
  }
  const answers = [{ input: 'Add 2 and 2', expected: '4' }]
  expect(await reads(answers, { expected: 'context' }, 'skills/x/evals/answers.json')).toContain(
    'eval of x: Add 2 and 2 | judge "4"',
  )
  const query = 'trigger of x: Do x | check "The skill x is used."'
  expect(await reads([{ prompt: 'Do x', must_use_skill: 'x' }], { must_use_skill: 'expected-skill' })).toEqual([query])
  expect(await reads({ probes: [{ prompt: 'Do x', should_trigger: true }] }, { probes: 'evals' })).toEqual([query])
  expect(await reads({ positive: [{ id: 1, query: 'Do x' }] }, { positive: 'positives' })).toEqual([query])
})

test('a file with the usual name of a suite that reads like none is named with the reason, any other is not', async () => {
  const none = 'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.'
  const reasonOf = async (value: unknown, file = 'skills/x/evals/trigger-evals.json'): Promise<readonly string[]> =>
    linesOf(value, {}, file)
  const line = (reason: string): readonly string[] => [
    `note: skills/x/evals/trigger-evals.json is no suite: ${reason}.`,
    none,
  ]
  expect(await reasonOf('[{ "query": "a", ]')).toEqual(line('is not valid JSON'))
  expect(await reasonOf({ probes: [] })).toEqual(line('contains no list of evals'))
  expect(await reasonOf({ evals: [] })).toEqual(line('contains no entry'))
  expect(await reasonOf([{ prompt: 'a', wanted: 'b' }])).toEqual(line('has no entry with a prompt and an expectation'))
  const other = await reasonOf([{ input: 'a', expected: 'b' }], 'skills/x/evals/answers.json')
  expect(other.filter((one) => one.includes('answers.json'))).toEqual([])
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
    `note ${name}.runs_per_query: has no effect; give it a role in "fields"`,
    `note ${name}.of_august: has no effect; give it a role in "fields"`,
  ])
  // One that its author settles as something else, and one that holds results, is none.
  const settled = { 'evals/eval-config.json': JSON.stringify({ fields: { [name]: 'ignore' } }) }
  expect(await linesOf(both, settled)).toEqual(['eval of x: Do it | judge "Done"'])
  const results = { evals, [name]: { should_trigger: [{ query_id: 1, rate: 1 }] } }
  expect((await linesOf(results)).slice(1)).toEqual([
    name === 'own_name'
      ? 'note own_name: has no effect; give it a role in "fields"'
      : 'note trigger_evals: expected a list, got an object',
  ])
})

test('a copy of a suite in YAML beside it, and files of other tools, are not read', async () => {
  const suite = [{ query: 'Do x', should_trigger: true }]
  const entry = '- prompt: a\n  expectations: [b]\n'
  const more = {
    'skills/x/evals/triggers.yaml': '- query: Do x\n  should_trigger: true\n',
    ...Object.fromEntries(
      ['eval', 'a.eval', 'last-results', 'promptfooconfig'].map((name) => [`skills/x/evals/${name}.yaml`, entry]),
    ),
    'skills/x/evals/cases.jsonl': '{"prompt": "a", "expectations": ["b"]}\n',
    'skills/x/evals/anchors.yaml': 'cases:\n  - &a\n    prompt: a\n    expect: [a b]\n  - *a\n',
  }
  expect(await linesOf(suite, more, 'skills/x/evals/triggers.json')).toEqual([
    'trigger of x: Do x | check "The skill x is used."',
  ])
})
