import { describe, expect, test } from 'vitest'
import { CASE, createPackage, issuesOf, loadCase, issueLines } from '../../../support/aam-fixture.ts'

const configIssues = (config: string): Promise<readonly string[]> =>
  issuesOf(CASE, { 'evals/eval-config.json': config })

describe('eval-config.json', () => {
  test('absent: all defaults and a note', async () => {
    await using fixture = await createPackage(CASE)
    await fixture.rm('evals/eval-config.json')
    const suite = await loadCase(fixture)
    expect(suite.config).toEqual({
      file: null,
      engine: null,
      timeout: null,
      judge: null,
      network: false,
      writablePaths: null,
      env: {},
    })
    expect(issueLines(suite, fixture)).toEqual([
      '1:1 warning no-eval-config : there is no eval-config.json; the default engine and limits are used',
    ])
  })

  test('every field', async () => {
    const config = {
      version: 1,
      engine: 'codex',
      timeout: 0.5,
      judge: 'claude-sonnet',
      sandbox: { network: true, 'writable-paths': ['src/', './output'] },
      env: { EVAL_MODE: 'true' },
    }
    await using fixture = await createPackage(CASE, { 'evals/eval-config.json': JSON.stringify(config) })
    const suite = await loadCase(fixture)
    expect(suite.issues).toEqual([])
    expect(suite.config).toEqual({
      file: fixture.getPath('evals/eval-config.json'),
      engine: 'codex',
      timeout: 0.5,
      judge: 'claude-sonnet',
      network: true,
      writablePaths: ['src', 'output'],
      env: { EVAL_MODE: 'true' },
    })
  })

  test.each(['0', '-1', '1e9', '99999999999999999999', '86401'])('C11 timeout %s', async (timeout) => {
    expect(await configIssues(`{"version": 1, "engine": "codex", "timeout": ${timeout}}`)).toEqual([
      '1:46 error out-of-range timeout: must be more than 0 and at most 86400 seconds',
    ])
  })

  test('C10 timeout as a string, C11 as a word', async () => {
    expect(await configIssues('{"version": 1, "engine": "codex", "timeout": "120"}')).toEqual([
      '1:46 error wrong-type timeout: expected a number, got a string; remove the quotes',
    ])
    expect(await configIssues('{"version": 1, "engine": "codex", "timeout": Infinity}')).toEqual([
      '1:46 error json-syntax : "Infinity" is not JSON; put a text in double quotes',
    ])
  })

  test('C15 the version', async () => {
    expect(await configIssues('{"version": 2, "engine": "codex"}')).toEqual([
      '1:13 error invalid-value version: expected 1, got 2',
    ])
    expect(await configIssues('{"engine": "codex"}')).toEqual(['1:1 error missing-field version: missing; expected 1'])
  })

  test('C14 an engine is named', async () => {
    expect(await configIssues('{"version": 1}')).toEqual(['1:1 error missing-field engine: missing; expected a string'])
  })

  test('C14 an engine of any name is read: whether it can run is decided before anything starts', async () => {
    expect(await configIssues('{"version": 1, "engine": "cursor"}')).toEqual([])
  })

  test.each([
    'PATH',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'ANTHROPIC_BASE_URL',
    'OPENAI_API_KEY',
    'CLAUDE_CONFIG_DIR',
    'CODEX_HOME',
    'TMPDIR',
    'HOME',
    'https_proxy',
  ])('C17 the reserved variable %s', async (name) => {
    expect(await configIssues(`{"version": 1, "engine": "codex", "env": {"${name}": "x"}}`)).toEqual([
      `1:43 error env-name env.${name}: is reserved: it would change the agent or its sandbox; choose another name`,
    ])
  })

  test('C17 names and values that are none', async () => {
    const config = '{"version": 1, "engine": "codex", "env": {"A=B": "1", "": "x", "OK": 1, "NUL": "\\u0000"}}'
    expect(await configIssues(config)).toMatchInlineSnapshot(`
      [
        "1:43 error env-name env.A=B: not a variable name; use A-Z, 0-9 and _, not starting with a digit",
        "1:55 error env-name env.: not a variable name; use A-Z, 0-9 and _, not starting with a digit",
        "1:70 error wrong-type env.OK: expected a string, got a number; put it in quotes",
        "1:80 error invalid-value env.NUL: must not contain a NUL character",
      ]
    `)
  })

  test.each(['/', '..', '../', '~', '/etc', '', 'a/../..', 'C:\\\\x'])('C18 the writable path %j', async (path) => {
    const issues = await configIssues(`{"version": 1, "engine": "codex", "sandbox": {"writable-paths": ["${path}"]}}`)
    expect(issues).toHaveLength(1)
    expect(issues[0]).toMatch(/^1:66 error unsafe-path sandbox.writable-paths.0: the path /)
  })

  test('C19 the configuration of the agent', async () => {
    expect(
      await configIssues(
        '{"version": 1, "engine": "codex", "sandbox": {"writable-paths": [".git/", ".claude/", "./"]}}',
      ),
    ).toEqual([])
    expect(
      await configIssues('{"version": 1, "engine": "codex", "sandbox": {"writable-paths": [".git/", ".claude/"]}}'),
    ).toEqual([
      '1:66 warning writable-config sandbox.writable-paths.0: lets the agent change its own configuration or repository (.git)',
      '1:75 warning writable-config sandbox.writable-paths.1: lets the agent change its own configuration or repository (.claude)',
    ])
  })

  test('C25 a comma too many', async () => {
    expect(await configIssues('{\n  "version": 1,\n  "engine": "codex",\n}')).toEqual([
      '3:20 error json-syntax : remove the comma before "}"',
    ])
  })
})
