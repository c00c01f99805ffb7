import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { editorSchema, fieldTable } from '../../../src/formats/skill-evals/editor-schema.ts'
import { ROLE_NAMES } from '../../../src/formats/skill-evals/vocabulary.ts'

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true })
const validators = {
  'eval-case': ajv.compile(readSchema('eval-case')),
  'eval-config': ajv.compile(readSchema('eval-config')),
  'skill-evals': ajv.compile(readSchema('skill-evals')),
}

function readSchema(name: string): object {
  return JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../schemas', `${name}.schema.json`), 'utf8'),
  ) as object
}

function problemsOf(name: keyof typeof validators, value: unknown): readonly string[] {
  const validate = validators[name]
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`)
}

const config = {
  version: 1,
  engine: 'claude-code',
  timeout: 120,
  judge: 'claude-sonnet',
  sandbox: { network: false, 'writable-paths': ['src/', 'output/'] },
  env: { EVAL_MODE: 'true' },
}

const evalCase = {
  name: 'pdf-extraction-e2e',
  description: 'Verify pdf-tools skill extracts text via agent session',
  target: 'skill:pdf-tools',
  input: {
    prompt: 'Extract all text from fixtures/sample.pdf',
    files: ['fixtures/sample.pdf'],
    'workspace-files': ['src/empty.txt', { path: 'src/app.ts', content: '' }],
  },
  expected: {
    contains: ['Hello, World'],
    'not-contains': ['ERROR'],
    'files-created': ['output/extracted.txt'],
    'agent-blocked': true,
  },
  judge: { criteria: 'Output must include all visible text from the PDF.\n' },
}

test('eval-config takes the example of the AAM text and points at mistakes', () => {
  expect(problemsOf('eval-config', config)).toEqual([])
  expect(problemsOf('eval-config', { version: 1, engine: 'codex' })).toEqual([])
  expect(problemsOf('eval-config', { ...config, version: 2 })).toEqual(['/version must be equal to constant'])
  expect(problemsOf('eval-config', { ...config, timeout: '120' })).toEqual(['/timeout must be number'])
  expect(problemsOf('eval-config', { ...config, timeout: 0 })).toEqual(['/timeout must be > 0'])
  for (const path of ['/', '..', 'a/../../b', '~', '/etc', '', 'C:\\x']) {
    expect(problemsOf('eval-config', { ...config, sandbox: { 'writable-paths': [path] } }), path).not.toEqual([])
  }
  expect(problemsOf('eval-config', { ...config, env: { 'A=B': 'x' } })).not.toEqual([])
  expect(problemsOf('eval-config', { ...config, fields: { failure_conditions: 'must-not' } })).toEqual([])
  expect(problemsOf('eval-config', { ...config, fields: { failure_conditions: 'maybe' } })).not.toEqual([])
  expect(problemsOf('eval-config', { ...config, env: { A: 1 } })).toEqual(['/env/A must be string'])
})

test('eval-case takes the example of the AAM text and points at mistakes', () => {
  expect(problemsOf('eval-case', evalCase)).toEqual([])
  expect(problemsOf('eval-case', { ...evalCase, target: 'hook:pre-tool-use' })).toEqual([])
  expect(problemsOf('eval-case', { name: 'A b' })).toEqual([
    " must have required property 'judge'",
    " must have required property 'expected'",
    ' must match a schema in anyOf',
    " must have required property 'input'",
    ' must match "else" schema',
    '/name must match pattern "^[a-z0-9-]{1,64}$"',
  ])
  const turns = [
    { prompt: 'Begin.' },
    { prompt: 'Go on.', expected: { contains: ['on'] }, judge: { criteria: 'It does.' } },
  ]
  expect(problemsOf('eval-case', { name: 'talk', turns })).toEqual([])
  expect(
    problemsOf('eval-case', { name: 'talk', input: { files: [] }, turns: [{ expected: { contains: 5 } }] }),
  ).toEqual(["/turns/0 must have required property 'prompt'", '/turns/0/expected/contains must be array'])
  const withExpected = (expected: unknown): readonly string[] => problemsOf('eval-case', { ...evalCase, expected })
  expect(withExpected({ contains: 5 })).toEqual(['/expected/contains must be array'])
  expect(withExpected({ contains: [''] })).toEqual(['/expected/contains/0 must NOT have fewer than 1 characters'])
  expect(withExpected({ 'agent-blocked': 'yes' })).toEqual(['/expected/agent-blocked must be boolean'])
  expect(problemsOf('eval-case', { ...evalCase, input: { prompt: 'x', files: ['../../etc/passwd'] } })).not.toEqual([])
  for (const target of ['pdf-tools', 'hook:PreToolUse', 'skill:', 'rule:x']) {
    expect(problemsOf('eval-case', { ...evalCase, target }), target).not.toEqual([])
  }
})

test('skill-evals takes every dialect, and points at mistakes', () => {
  const folder = join(import.meta.dirname, '../../../example-package/skills/pdf-tools/evals')
  const own = ['evals.json', 'triggers.json'].map((name): unknown =>
    JSON.parse(readFileSync(join(folder, name), 'utf8')),
  )
  const dialects = [
    ...own,
    [{ query: 'q', should_trigger: true }],
    { should_trigger: ['a', { prompt: 'b' }], should_not_trigger: ['c'] },
    { $schema: 'x', skill_name: 's', evals: [{ id: 1, prompt: 'p', assertions: [{ type: 'regex', pattern: 'x' }] }] },
    { cases: [{ eval_id: 'a', question: 'q', expected_behavior: 'It works.', route: null, _note: 1 }] },
  ]
  for (const value of dialects) expect(problemsOf('skill-evals', value), JSON.stringify(value)).toEqual([])

  const mistakes = [
    {},
    [],
    'text',
    { evals: {} },
    { evals: [{ id: 'a' }] },
    [{ prompt: ' ' }],
    [{ prompt: 'p', runs: 0 }],
    [{ prompt: 'p', files: ['../x'] }],
    [{ prompt: 'p', expectations: [''] }],
    [{ prompt: 'p', should_trigger: 1 }],
    { evals: [{ prompt: 'p' }], trigger_threshold: 2 },
  ]
  for (const value of mistakes) expect(problemsOf('skill-evals', value), JSON.stringify(value)).not.toEqual([])
})

test('the schema of skill-evals, the roles of eval-config and the table in the docs come from one table', async () => {
  expect(readSchema('skill-evals')).toEqual(editorSchema())
  const { properties } = readSchema('eval-config') as { readonly properties: Record<string, object> }
  expect(properties['fields']).toMatchObject({ additionalProperties: { enum: ROLE_NAMES } })
  const file = join(import.meta.dirname, '../../../docs/skill-evals-reference.md')
  const table = `<!-- fields -->\n\n${fieldTable()}\n\n<!-- /fields -->`
  const text = readFileSync(file, 'utf8')
  await expect(text.replace(/<!-- fields -->[^]*<!-- \/fields -->/, () => table)).toMatchFileSnapshot(file)
})

test('aam_version is null in our reports, and its description says why', () => {
  const { properties } = readSchema('report') as {
    readonly properties: { readonly environment: { readonly properties: Record<string, object> } }
  }
  expect(properties.environment.properties['aam_version']).toMatchObject({
    type: ['string', 'null'],
    description: 'null in our own reports: the program aam takes no part. agent_evals_version says what ran.',
  })
})
