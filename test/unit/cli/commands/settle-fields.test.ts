import { readFile } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { lint } from '../../../../src/cli/commands/lint.ts'
import { list } from '../../../../src/cli/commands/list.ts'
import { withMembers } from '../../../../src/lib/documents/edit-json.ts'
import { createSuiteCache, loadSuite } from '../../../../src/formats/load-suite.ts'
import { printed } from '../../../support/printed.ts'

const ENTRIES = [
  { id: 1, ask: 'Plan it', failure_conditions: ['Guesses'], expected_category: 'a' },
  { id: 2, prompt: 'Do it', expectations: ['Done'], failureConditions: ['Hurries'] },
]
const FILES = {
  'package.agent.json': '{ "name": "p", "version": "1.0.0" }',
  'evals/README.md': '',
  'skills/x/SKILL.md': '---\nname: x\ndescription: Use it.\n---\nDo it.\n',
  'skills/x/evals/evals.json': JSON.stringify({ evals: ENTRIES }),
}
const MUST_NOT = { failure_conditions: 'must-not', ask: 'prompt', expected_category: 'ignore' }

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

test('a name without a row is a note with the line that settles it, and changes nothing until it is written', async () => {
  await using fixture = await createFixture(FILES)
  expect(await listed(fixture.path)).toEqual([
    ': ',
    'Do it: Done',
    ...[
      ['0.ask', 'ask', 'prompt'],
      ['0.failure_conditions', 'failure_conditions', 'must-not'],
    ].map(
      ([at, field, role]) =>
        `skills/x/evals/evals.json:1 evals.${at}: has no effect: unknown field. It looks like "${role}". Run lint --fix, or add "fields": { "${field}": "${role}" } to evals/eval-config.json`,
    ),
    'skills/x/evals/evals.json:1 evals.0.expected_category: has no effect: it may be a remark, or what must hold in one word. Add "fields": { "expected_category": "ignore" } or "fields": { "expected_category": "must" } to evals/eval-config.json',
    'skills/x/evals/evals.json:1 evals.0.prompt: missing; expected a string, the prompt of the agent',
    'skills/x/evals/evals.json:1 evals.0.expectations: no expectations, so no result can be right or wrong, so the eval is skipped',
    'skills/x/evals/evals.json:1 evals.1.failureConditions: has no effect: unknown field. It looks like "must-not". Run lint --fix, or add "fields": { "failureConditions": "must-not" } to evals/eval-config.json',
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
  const fields = { failure_conditions: 'must-not', ask: 'prompt', expected_category: 'category' } as const
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

test('lint --fix settles which field of an expectation is its sentence', async () => {
  const rubric = [{ dimension: 'tone', pass_if: 'It is kind to the reader' }, { fail_if: 'It shouts' }]
  const suite = JSON.stringify([{ id: 1, prompt: 'Write', rubric }])
  await using fixture = await createFixture({ ...FILES, 'skills/x/evals/evals.json': suite })
  await printed(lint, fixture.path, '--fix')
  const config = JSON.parse(await readFile(fixture.getPath('evals/eval-config.json'), 'utf8')) as object
  expect(config).toEqual({ fields: { pass_if: 'must', fail_if: 'must-not' } })
  expect(await listed(fixture.path)).toEqual([
    'Write: It is kind to the reader, This must not be the case: It shouts',
    'skills/x/evals/evals.json:1 0.rubric.0.dimension: has no effect: unknown field of an expectation',
  ])
})

const CONFIG = `{
    "version": 1, // of the format
    "engine": "claude-code",
    "fields": {
        // Settled in May.
        "old": "ignore" // as it was
    },
    "timeout": 60
}
`

test('lint --fix writes the proposed roles and leaves everything else of the configuration as it is', async () => {
  await using fixture = await createFixture({ ...FILES, 'evals/eval-config.json': CONFIG.replaceAll(/ *\/\/.*/g, '') })
  const text = await printed(lint, fixture.path, '--fix')
  expect(text).toContain('wrote "fields" to ')
  expect(await readFile(fixture.getPath('evals/eval-config.json'), 'utf8')).toBe(`{
    "version": 1,
    "engine": "claude-code",
    "fields": {

        "old": "ignore",
        "ask": "prompt",
        "failure_conditions": "must-not"
    },
    "timeout": 60
}
`)
  expect(await listed(fixture.path)).toEqual([
    'Plan it: This must not be the case: Guesses',
    'Do it: Done, This must not be the case: Hurries',
    expect.stringContaining('evals.0.expected_category: has no effect: it may be a remark'),
  ])
  expect(await printed(lint, fixture.path, '--fix')).not.toContain('wrote')
})

test('lint --fix writes what a name says in one entry, though in others it is a remark', async () => {
  const suite = ['edge_case', 'should_not_trigger'].map((type, id) => ({ id, type, prompt: type, checks: ['Done'] }))
  await using fixture = await createFixture({ ...FILES, 'skills/x/evals/evals.json': JSON.stringify(suite) })
  expect(await printed(lint, fixture.path, '--fix')).toContain('{"type":"result"}')
  expect((await listed(fixture.path)).slice(0, 2)).toEqual([
    'edge_case: Done',
    'should_not_trigger: The skill x is not used., Done',
  ])
})

test('lint --fix writes a configuration where there is none, which cases of other formats do not mind', async () => {
  await using fixture = await createFixture(FILES)
  await printed(lint, fixture.path, '--fix')
  const config = JSON.parse(await readFile(fixture.getPath('evals/eval-config.json'), 'utf8')) as object
  expect(Object.keys(config)).toEqual(['fields'])
  await fixture.mkdir('evals/cases')
  await fixture.writeFile('evals/cases/a.yaml', 'name: a\ninput:\n  prompt: p\njudge:\n  criteria: c\n')
  const { errors } = JSON.parse(await printed(lint, fixture.path, '--json')) as { readonly errors: number }
  expect(errors).toBe(0)
})

test.each([
  [CONFIG, CONFIG.replace('"old": "ignore" // as it was', '"old": "ignore", // as it was\n        "a": "b"')],
  ['{}', '{ "fields": { "a": "b" } }'],
  ['{\n}\n', '{ "fields": {\n    "a": "b"\n  } }\n'],
  ['{ "version": 1 }\n', '{ "version": 1, "fields": { "a": "b" } }\n'],
  ['{\n\t"x": [1, { "y": "}" }]\n}\n', '{\n\t"x": [1, { "y": "}" }],\n\t"fields": {\n\t\t"a": "b"\n\t}\n}\n'],
  ['{ "fields": {} }', '{ "fields": { "a": "b" } }'],
  ['{ "fields": { "c": "d" } }', '{ "fields": { "c": "d", "a": "b" } }'],
  ['[]', null],
  ['{ "fields": [] }', null],
  ['{ "fields"', null],
])('a member is added to %j', (text, edited) => {
  expect(withMembers(text, 'fields', { a: 'b' })).toBe(edited)
})
