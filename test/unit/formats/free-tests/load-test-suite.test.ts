import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createFixture, type FsFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { overrideAt } from '../../../../src/formats/free-tests/hook-test.ts'
import { discoverTests } from '../../../../src/formats/discover.ts'
import { loadTestSuite } from '../../../../src/formats/free-tests/load-test-suite.ts'
import { testFoldersOf } from '../../../../src/formats/places.ts'
import type { TestSuite } from '../../../../src/formats/free-tests/test-suite.ts'

const FILES = {
  'package.agent.json': '{"name": "sample", "version": "1.0.0"}',
  'skills/s/SKILL.md': '---\nname: s\ndescription: S.\n---\n',
  'hooks/hooks.json': JSON.stringify({
    version: 1,
    hooks: { 'pre-tool-use': [{ hooks: [{ type: 'command', command: 'true' }] }] },
  }),
  'hooks/tests/fixtures/a.json': '{"toolName": "Write", "toolInput": {"file_path": "a", "edits": [{"x": 1}]}}',
  'commands/greet.md':
    '---\nname: greet\ndescription: Greets.\nvariables:\n  - name: who\n    required: true\n---\nHello {{who}}\n',
}

const PLACES = {
  skill: 'skills/s/tests/cases/a.yaml',
  hook: 'hooks/tests/cases/a.yaml',
  command: 'commands/tests/cases/a.yaml',
} as const

async function load(
  kind: keyof typeof PLACES,
  text: string,
  files: Record<string, string> = {},
): Promise<[TestSuite, FsFixture]> {
  const fixture = await createFixture({ ...FILES, [PLACES[kind]]: text, ...files })
  return [await loadTestSuite(fixture.getPath(PLACES[kind])), fixture]
}

async function issuesOf(
  kind: keyof typeof PLACES,
  text: string,
  files: Record<string, string> = {},
): Promise<readonly string[]> {
  const [suite, fixture] = await load(kind, text, files)
  await fixture.rm()
  return suite.issues.map(({ file, line, column, severity, code, field, message }) =>
    `${file}:${line}:${column} ${severity} ${code} ${field}: ${message}`.replaceAll(fixture.path, ''),
  )
}

describe('a test of a skill', () => {
  test('everything it can say', async () => {
    const text = `name: all
description: All of it
input:
  command: run "x"
  stdin: text
  files: [./tests/fixtures/a.txt]
expected:
  stdout-json: {a: [1]}
  not-contains: [no]
  exit-code: 3
  stdout-contains: [yes]
  stderr-contains: [hm]
`
    const [suite, fixture] = await load('skill', text, {
      'skills/s/tests/test-config.json': '{"version": 1, "timeout": 5, "env": {"A": "b"}}',
    })
    await fixture.rm()
    expect(suite.issues).toEqual([])
    expect(suite.config).toMatchObject({ timeout: 5, env: { A: 'b' } })
    expect(suite.cases).toMatchObject([
      {
        kind: 'skill',
        name: 'all',
        command: 'run "x"',
        stdin: 'text',
        files: [{ path: 'tests/fixtures/a.txt', at: { line: 6 } }],
        assertions: [
          { kind: 'stdout-json', value: { a: [1] }, at: { line: 8 } },
          { kind: 'not-contains', value: 'no', at: { line: 9 } },
          { kind: 'exit-code', value: 3, at: { line: 10, column: 14 } },
          { kind: 'stdout-contains', value: 'yes', at: { line: 11 } },
          { kind: 'stderr-contains', value: 'hm', at: { line: 12 } },
        ],
        at: { line: 1, column: 7 },
        runAt: { line: 4, column: 12 },
      },
    ])
  })

  test('the exit code is 0 unless it says another, and the defaults need no configuration', async () => {
    const [suite, fixture] = await load('skill', 'name: a\ninput:\n  command: x\n')
    await fixture.rm()
    expect(suite.cases[0]?.assertions).toEqual([{ kind: 'exit-code', value: 0, at: { line: 3, column: 12 } }])
    expect(suite.config).toEqual({ file: null, timeout: 30, env: {} })
  })

  test('every mistake at once, at its place', async () => {
    const text = `name: A b
input:
  comand: x
  files: [../x, /etc/passwd]
  stdin: 5
expected:
  exit-code: 256
  stdout-contains: ['']
  exitcode: 1
`
    const config = '{"version": 2, "timeout": 0, "env": {"A=B": "x", "AGENT_EVALS_X": "y"}}'
    expect(await issuesOf('skill', text, { 'skills/s/tests/test-config.json': config })).toMatchInlineSnapshot(`
      [
        "/skills/s/tests/test-config.json:1:13 error invalid-value version: expected 1, got 2",
        "/skills/s/tests/test-config.json:1:27 error out-of-range timeout: must be more than 0 and at most 86400 seconds",
        "/skills/s/tests/test-config.json:1:38 error invalid-value env.A=B: not a variable name; use A-Z, 0-9 and _, not starting with a digit",
        "/skills/s/tests/test-config.json:1:50 error invalid-value env.AGENT_EVALS_X: is reserved; choose another name",
        "/skills/s/tests/cases/a.yaml:1:7 error invalid-value name: must be 1 to 64 characters of a-z, 0-9 and -",
        "/skills/s/tests/cases/a.yaml:2:1 error missing-field input.command: missing; expected a string",
        "/skills/s/tests/cases/a.yaml:3:3 error unknown-field input.comand: unknown field. Did you mean "command"?",
        "/skills/s/tests/cases/a.yaml:4:11 error unsafe-path input.files.0: the path leaves the folder with ".."",
        "/skills/s/tests/cases/a.yaml:4:17 error unsafe-path input.files.1: the path is absolute; write it relative",
        "/skills/s/tests/cases/a.yaml:5:10 error wrong-type input.stdin: expected a string, got a number; put it in quotes",
        "/skills/s/tests/cases/a.yaml:7:14 error out-of-range expected.exit-code: must be at most 255",
        "/skills/s/tests/cases/a.yaml:8:21 error out-of-range expected.stdout-contains.0: must not be empty: every output contains it",
        "/skills/s/tests/cases/a.yaml:9:3 error unknown-field expected.exitcode: unknown field. Did you mean "exit-code"?",
      ]
    `)
  })

  test('a list holds a test in each entry, and a mistake costs its entry alone', async () => {
    const [suite, fixture] = await load(
      'skill',
      [
        '- name: a',
        '  input: { command: x }',
        '- name: b',
        '  input: { comand: x }',
        '- name: a',
        '  input: { command: y }',
      ].join('\n'),
    )
    await fixture.rm()
    expect(suite.cases.map(({ kind, id, at }) => [kind, id, at.line])).toEqual([
      ['skill', 'a', 1],
      ['broken', 'case 2', 3],
      ['broken', 'case 3', 5],
    ])
    expect(suite.issues.map(({ line, field, message, skips }) => [line, field, message, skips])).toEqual([
      [4, '1.input.command', 'missing; expected a string', true],
      [4, '1.input.comand', 'unknown field. Did you mean "command"?', true],
      [5, '2.name', 'case 1 of the list has the name "a" too; give each its own', true],
    ])
    expect(await issuesOf('skill', '[]')).toEqual([
      '/skills/s/tests/cases/a.yaml:1:1 error empty-file : no case in the list',
    ])
  })

  test('an empty file and text that is no YAML', async () => {
    expect(await issuesOf('skill', '')).toMatchInlineSnapshot(`
      [
        "/skills/s/tests/cases/a.yaml:1:1 error empty-file : no case in the file: it is empty or contains only comments",
      ]
    `)
    expect(await issuesOf('skill', 'name: [\n')).toMatchInlineSnapshot(`
      [
        "/skills/s/tests/cases/a.yaml:2:1 error yaml-syntax : the list above is not closed here; end it with ], or indent this line",
      ]
    `)
  })
})

describe('a test of hooks', () => {
  test('the fixture with its overrides is the event, under the name of the case', async () => {
    const text = `name: a
event: pre-tool-use
input:
  fixture: fixtures/a.json
  overrides:
    toolInput.file_path: /etc/passwd
    toolInput.edits.0.x: [2]
    new.deep: true
expected:
  exit-code: 0
`
    const [suite, fixture] = await load('hook', text)
    await fixture.rm()
    expect(suite.issues).toEqual([])
    expect(suite.cases).toMatchObject([
      {
        kind: 'hook',
        hookIndex: 0,
        payload: {
          hookEventName: 'pre-tool-use',
          toolName: 'Write',
          toolInput: { file_path: '/etc/passwd', edits: [{ x: [2] }] },
          new: { deep: true },
        },
      },
    ])
  })

  test('names that lead nowhere', async () => {
    expect(await issuesOf('hook', 'name: a\nevent: PreTolUse\n')).toMatchInlineSnapshot(`
      [
        "/hooks/tests/cases/a.yaml:2:8 error unknown-event event: not a hook event; there are pre-tool-use, permission-request, post-tool-use, pre-prompt, session-start, session-end, stop, sub-agent-end, pre-compact, notification. Did you mean "pre-tool-use"?",
      ]
    `)
    expect(await issuesOf('hook', 'name: a\nevent: stop\n')).toMatchInlineSnapshot(`
      [
        "/hooks/tests/cases/a.yaml:2:8 error unknown-hook event: hooks.json has no hook in working order for "stop"",
        "/hooks/tests/cases/a.yaml:1:1 warning no-expectations expected: no expectations: any decision passes",
      ]
    `)
    expect(await issuesOf('hook', 'name: a\nevent: pre-tool-use\nhook-index: 1\n')).toMatchInlineSnapshot(`
      [
        "/hooks/tests/cases/a.yaml:3:13 error unknown-hook hook-index: hooks.json has no such group for "pre-tool-use"; it has only 0",
        "/hooks/tests/cases/a.yaml:1:1 warning no-expectations expected: no expectations: any decision passes",
      ]
    `)
    const text = `name: a
event: pre-tool-use
input:
  fixture: fixtures/a.json
  overrides:
    toolName.x: 1
    toolInput.edits.5: 1
    a..b: 1
    a.constructor.b: 1
`
    expect(await issuesOf('hook', text)).toMatchInlineSnapshot(`
      [
        "/hooks/tests/cases/a.yaml:6:5 error invalid-override input.overrides.toolName.x: toolName is "Write", in which there is no "x"",
        "/hooks/tests/cases/a.yaml:7:5 error invalid-override input.overrides.toolInput.edits.5: toolInput.edits is a list of 1; "5" is no place in it",
        "/hooks/tests/cases/a.yaml:8:5 error invalid-override input.overrides.a..b: has an empty step; write names with one dot between them",
        "/hooks/tests/cases/a.yaml:9:5 error invalid-override input.overrides.a.constructor.b: "constructor" is not a field; remove it",
        "/hooks/tests/cases/a.yaml:1:1 warning no-expectations expected: no expectations: any decision passes",
      ]
    `)
  })

  test('a fixture that is missing, no JSON or no object', async () => {
    const text = 'name: a\nevent: pre-tool-use\ninput:\n  fixture: fixtures/b.json\n'
    expect(await issuesOf('hook', text)).toMatchInlineSnapshot(`
      [
        "/hooks/tests/cases/a.yaml:4:12 error file-missing input.fixture: fixtures/b.json does not exist below the folder tests/ of the hooks",
        "/hooks/tests/cases/a.yaml:1:1 warning no-expectations expected: no expectations: any decision passes",
      ]
    `)
    expect(await issuesOf('hook', text, { 'hooks/tests/fixtures/b.json': '{"a": 1,}' })).toMatchInlineSnapshot(`
      [
        "/hooks/tests/fixtures/b.json:1:8 error json-syntax : remove the comma before "}"",
        "/hooks/tests/cases/a.yaml:1:1 warning no-expectations expected: no expectations: any decision passes",
      ]
    `)
    expect(await issuesOf('hook', text, { 'hooks/tests/fixtures/b.json': '[]' })).toMatchInlineSnapshot(`
      [
        "/hooks/tests/fixtures/b.json:1:1 error wrong-type : expected an object, the event of a hook",
        "/hooks/tests/cases/a.yaml:1:1 warning no-expectations expected: no expectations: any decision passes",
      ]
    `)
  })
})

describe('a test of a command', () => {
  test('what it says, values as text', async () => {
    const [suite, fixture] = await load(
      'command',
      'name: a\ninput:\n  command: greet\n  variables: {who: 5}\nexpected:\n  contains: [Hello 5]\n',
    )
    await fixture.rm()
    expect(suite.issues).toEqual([])
    expect(suite.cases).toMatchObject([
      {
        kind: 'command',
        command: 'greet',
        variables: { who: '5' },
        assertions: [{ kind: 'contains', value: 'Hello 5' }],
      },
    ])
  })

  test('unknown commands and variables', async () => {
    expect(await issuesOf('command', 'name: a\ninput:\n  command: great\n')).toMatchInlineSnapshot(`
      [
        "/commands/tests/cases/a.yaml:3:12 error unknown-command input.command: the package has no command "great" in working order. Did you mean "greet"?",
      ]
    `)
    expect(await issuesOf('command', 'name: a\ninput:\n  command: greet\n  variables: {whom: x}\n'))
      .toMatchInlineSnapshot(`
      [
        "/commands/tests/cases/a.yaml:4:15 error unknown-variable input.variables.whom: not a variable of the command. Did you mean "who"?",
      ]
    `)
  })
})

describe('places', () => {
  test('what each path is', () => {
    expect(testFoldersOf('/p/skills/s/tests/cases/a.yaml')).toEqual({
      format: 'skill-test',
      testsDir: '/p/skills/s/tests',
      partDir: '/p/skills/s',
      packageRoot: '/p',
    })
    expect(testFoldersOf('/p/hooks/tests/cases/a.yml')?.format).toBe('hook-test')
    expect(testFoldersOf('/p/commands/tests/cases/a.yaml')?.format).toBe('command-test')
    expect(testFoldersOf('/p/skills/hooks/tests/cases/a.yaml')?.format).toBe('skill-test')
    for (const path of [
      '/p/tests/cases/a.yaml',
      '/p/hooks/tests/cases/a.json',
      '/p/hooks/tests/a.yaml',
      '/node_modules/hooks/tests/cases/a.yaml',
    ]) {
      expect(testFoldersOf(path), path).toBeNull()
    }
  })

  test('beside a file of the format mistakes are ours; elsewhere only what reads like a test', async () => {
    await using fixture = await createFixture({
      'a/hooks/tests/cases/broken.yaml': 'x: [',
      'a/hooks/hooks.json': '{}',
      'b/hooks/tests/cases/other.yaml': 'cases: []',
      'b/hooks/tests/cases/like.yaml': 'name: x\nevent: stop\n',
      'b/skills/s/tests/cases/other.yaml': 'name: x\ninput: y\n',
      'b/skills/s/tests/cases/like.yaml': 'name: x\ninput:\n  command: y\n',
    })
    const { ours, others } = await discoverTests(fixture.path.replace(/\/$/, ''))
    expect(ours.map((file) => file.replace(fixture.path, '').replace(/^\//, ''))).toEqual([
      'a/hooks/tests/cases/broken.yaml',
      'b/hooks/tests/cases/like.yaml',
      'b/skills/s/tests/cases/like.yaml',
    ])
    expect(others.map((file) => file.replace(fixture.path, '').replace(/^\//, ''))).toEqual([
      'b/hooks/tests/cases/other.yaml',
      'b/skills/s/tests/cases/other.yaml',
    ])
  })
})

test('an override does not change what it is given', () => {
  const root = { a: { b: [1] } }
  expect(overrideAt(root, 'a.b.1', 2)).toEqual({ value: { a: { b: [1, 2] } }, problem: null })
  expect(root).toEqual({ a: { b: [1] } })
  expect(overrideAt({ 'a.b': 1 }, 'a.b', 2)).toEqual({ value: { 'a.b': 2 }, problem: null })
})

describe('the published schemas', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true })
  const validatorOf = (name: string): ((value: unknown) => boolean) => {
    const file = join(import.meta.dirname, '../../../../schemas', `${name}.schema.json`)
    const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object)
    return (value) => validate(value)
  }

  test.for([
    [
      'skill-test',
      'name: a\ninput: {command: x, stdin: null, files: [a/b]}\nexpected: {exit-code: 0, stdout-json: {a: 1}}',
      'name: a\ninput: {command: x, files: [../b]}',
    ],
    [
      'hook-test',
      'name: a\nevent: stop\nhook-index: 0\ninput: {fixture: a.json, overrides: {a.b: 1}}',
      'name: a\nevent: Stop',
    ],
    [
      'command-test',
      'name: a\ninput: {command: x, variables: {a: 1}}\nexpected: {error-contains: [x]}',
      'name: a\ninput: {variables: {a: []}}',
    ],
    ['test-config', 'version: 1\ntimeout: 30\nenv: {A: b}', 'version: 1\nenv: {A: 1}'],
  ] as const)('%s', ([name, right, wrong]) => {
    const isValid = validatorOf(name)
    expect(isValid(parse(right))).toBe(true)
    expect(isValid(parse(wrong))).toBe(false)
  })
})
