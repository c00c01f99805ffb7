import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { lint } from '../../../../src/cli/commands/lint.ts'
import { list } from '../../../../src/cli/commands/list.ts'
import { createSuiteCache, loadSuite } from '../../../../src/formats/load-suite.ts'
import { printed } from '../../../support/printed.ts'

const ENTRIES = [
  { id: 1, ask: 'Plan it', failure_conditions: ['Guesses'], expected_category: 'a' },
  { id: 2, prompt: 'Do it', expectations: ['Done'], failure_conditions: ['Hurries'] },
]
const FILES = {
  'package.agent.json': '{ "name": "p", "version": "1.0.0" }',
  'evals/README.md': '',
  'skills/x/SKILL.md': '---\nname: x\ndescription: Use it.\n---\nDo it.\n',
  'skills/x/evals/evals.json': JSON.stringify({ evals: ENTRIES }),
}
const MUST_NOT = { failureConditions: 'must-not', ask: 'prompt', expected_category: 'ignore' }

async function listed(root: string): Promise<readonly string[]> {
  const { cases, notes } = JSON.parse(await printed(list, '--root', root, '--json')) as {
    readonly cases: readonly { readonly prompt: string; readonly expects: readonly { readonly text: string }[] }[]
    readonly notes: readonly {
      readonly file: string
      readonly line: number
      readonly field: string
      readonly message: string
    }[]
  }
  return [
    ...cases.map(({ prompt, expects }) => `${prompt}: ${expects.map(({ text }) => text).join(', ')}`),
    ...notes.map(({ file, line, field, message }) => `${file}:${line} ${field}: ${message}`),
  ]
}

test('a name without a row is one note of its file, with its count, and changes nothing until a line settles it', async () => {
  await using fixture = await createFixture(FILES)
  expect(await listed(fixture.path)).toEqual([
    ': ',
    'Do it: Done',
    'skills/x/evals/evals.json:1 evals.0.prompt: missing; expected a string, the prompt of the agent',
    'skills/x/evals/evals.json:1 evals.0.ask: has no effect; give it a role in "fields"',
    'skills/x/evals/evals.json:1 evals.0.failure_conditions: has no effect (2 entries); give it a role in "fields"',
    'skills/x/evals/evals.json:1 evals.0.expected_category: has no effect; give it a role in "fields"',
  ])
})

const READ = ['Plan it: This must not be the case: Guesses', 'Do it: Done, This must not be the case: Hurries']

test.each([
  ['of the package', { 'evals/eval-config.json': JSON.stringify({ fields: MUST_NOT }) }],
  ['of the folder of the evals', { 'skills/x/evals/eval-config.json': JSON.stringify({ fields: MUST_NOT }) }],
  [
    'nearest to them',
    {
      'evals/eval-config.json': JSON.stringify({ version: 1, engine: 'codex', fields: { ...MUST_NOT, ask: 'ignore' } }),
      'skills/x/evals/eval-config.json': JSON.stringify({ fields: { ask: 'prompt' } }),
    },
  ],
])('a name is settled by the configuration %s, in each of its spellings', async (_, config) => {
  await using fixture = await createFixture({ ...FILES, ...config })
  expect(await listed(fixture.path)).toEqual(READ)
})

test('a name is settled by the option `fields`, which a configuration overrides', async () => {
  await using fixture = await createFixture(FILES)
  const fields = { failureConditions: 'must-not', ask: 'prompt', expected_category: 'category' } as const
  const root = fixture.path.replace(/\/$/, '')
  const read = async (): Promise<readonly unknown[]> => {
    const cache = createSuiteCache({ search: { evals: null, skill: null, fields } })
    const { cases, issues } = await loadSuite(`${root}/skills/x/evals/evals.json`, { root, cache })
    return [...cases.map(({ prompt, category, criteria }) => [prompt, category, criteria?.text]), ...issues]
  }
  expect(await read()).toEqual([
    ['Plan it', 'a', '- This must not be the case: Guesses'],
    ['Do it', null, '- Done\n- This must not be the case: Hurries'],
  ])
  await fixture.writeFile('evals/eval-config.json', '{ "fields": { "failure_conditions": "ignore" } }')
  expect(await read()).toMatchObject([
    ['Plan it', 'a', undefined],
    ['Do it', null, '- Done'],
    { code: 'no-expectations' },
  ])
})

test('a settled list is read, and a file is a suite by settled names', async () => {
  await using fixture = await createFixture({
    ...FILES,
    'skills/x/evals/evals.json': '{ "tests": [{ "id": 1, "prompt": "Do it", "expectations": ["Done"] }] }',
    'skills/x/evals/more.json': '[{ "id": 2, "ask": "Do more", "wanted": ["More"] }]',
    'evals/eval-config.json': '{ "fields": { "tests": "evals", "ask": "prompt", "wanted": "must" } }',
  })
  expect(await listed(fixture.path)).toEqual(['Do it: Done', 'Do more: More'])
})

test('a role that does not exist is an error of the configuration', async () => {
  await using fixture = await createFixture({ ...FILES, 'evals/eval-config.json': '{ "fields": { "ask": "promt" } }' })
  const { issues } = JSON.parse(await printed(lint, fixture.path, '--json')) as {
    readonly issues: readonly { readonly file: string; readonly field: string; readonly message: string }[]
  }
  const issue = issues.find(({ file }) => file.endsWith('eval-config.json'))
  expect(issue).toMatchObject({ field: 'fields.ask' })
  expect(issue?.message).toMatch(/^expected "prompt" or .*, got "promt"$/)
})
