import { execFileSync } from 'node:child_process'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { loadSuite } from '../../../../src/suites/load-suite.ts'
import { CASE, createPackage, loadCase, PACKAGE, wordIssues } from '../aam-fixture.ts'

const issuesOf = async (text: string, files: Readonly<Record<string, string>> = {}): Promise<readonly string[]> => {
  await using fixture = await createPackage(text, files)
  return wordIssues(await loadCase(fixture), fixture)
}

const configIssues = (config: string): Promise<readonly string[]> => issuesOf(CASE, { 'evals/eval-config.json': config })

const withInput = (lines: string): string => CASE.replace('  prompt: Do it.\n', `  prompt: Do it.\n${lines}\n`)

describe('a case', () => {
  test('everything it can say', async () => {
    const text = `name: everything
description: All of it
target: skill:pdf-tools
input:
  prompt: "Read fixtures/sample.pdf"
  files:
    - fixtures/sample.pdf
    - fixtures/more
  workspace-files:
    - src/empty.txt
    - src/app.ts
    - notes.md
    - path: src/given.txt
      content: given
expected:
  agent-blocked: true
  not-contains:
    - ERROR
  contains:
    - Hello
    - Page 1
  files-created:
    - output/extracted.txt
judge:
  criteria: >
    All visible text.
`
    await using fixture = await createPackage(text, {
      'evals/fixtures/sample.pdf': 'pdf',
      'evals/fixtures/more/b/c.txt': 'c',
      'evals/fixtures/more/a.txt': 'a',
      'evals/src/app.ts': 'app',
      'evals/fixtures/notes.md': 'notes',
    })
    const suite = await loadCase(fixture)
    const plain = JSON.parse(JSON.stringify(suite).replaceAll(fixture.path.replace(/\/$/, ''), '/root')) as unknown
    expect(plain).toMatchInlineSnapshot(`
      {
        "cases": [
          {
            "at": {
              "column": 7,
              "line": 1,
            },
            "category": null,
            "checks": [
              {
                "at": {
                  "column": 18,
                  "line": 16,
                },
                "kind": "agent-blocked",
                "value": true,
              },
              {
                "at": {
                  "column": 7,
                  "line": 18,
                },
                "kind": "not-contains",
                "value": "ERROR",
              },
              {
                "at": {
                  "column": 7,
                  "line": 20,
                },
                "kind": "contains",
                "value": "Hello",
              },
              {
                "at": {
                  "column": 7,
                  "line": 21,
                },
                "kind": "contains",
                "value": "Page 1",
              },
              {
                "at": {
                  "column": 7,
                  "line": 23,
                },
                "kind": "files-created",
                "value": "output/extracted.txt",
              },
            ],
            "criteria": {
              "at": {
                "column": 13,
                "line": 25,
              },
              "text": "All visible text.
      ",
            },
            "description": "All of it",
            "files": [
              {
                "at": {
                  "column": 7,
                  "line": 7,
                },
                "from": "/root/evals/fixtures/sample.pdf",
                "to": "fixtures/sample.pdf",
              },
              {
                "at": {
                  "column": 7,
                  "line": 8,
                },
                "from": "/root/evals/fixtures/more/a.txt",
                "to": "fixtures/more/a.txt",
              },
              {
                "at": {
                  "column": 7,
                  "line": 8,
                },
                "from": "/root/evals/fixtures/more/b/c.txt",
                "to": "fixtures/more/b/c.txt",
              },
            ],
            "id": "everything",
            "name": "everything",
            "prompt": "Read fixtures/sample.pdf",
            "promptAt": {
              "column": 11,
              "line": 5,
            },
            "tags": [],
            "target": {
              "kind": "skill",
              "name": "pdf-tools",
            },
            "timeout": null,
            "workspaceFiles": [
              {
                "at": {
                  "column": 7,
                  "line": 10,
                },
                "content": "",
                "from": null,
                "to": "src/empty.txt",
              },
              {
                "at": {
                  "column": 7,
                  "line": 11,
                },
                "content": "",
                "from": "/root/evals/src/app.ts",
                "to": "src/app.ts",
              },
              {
                "at": {
                  "column": 7,
                  "line": 12,
                },
                "content": "",
                "from": "/root/evals/fixtures/notes.md",
                "to": "notes.md",
              },
              {
                "at": {
                  "column": 7,
                  "line": 13,
                },
                "content": "given",
                "from": null,
                "to": "src/given.txt",
              },
            ],
          },
        ],
        "config": {
          "engine": "claude-code",
          "env": {},
          "file": "/root/evals/eval-config.json",
          "judge": null,
          "network": false,
          "timeout": null,
          "writablePaths": null,
        },
        "file": "/root/evals/cases/a.yaml",
        "format": "aam",
        "issues": [],
        "packageRoot": "/root",
      }
    `)
  })

  test('the least it can say', async () => {
    await using fixture = await createPackage(CASE)
    const { cases, issues } = await loadCase(fixture)
    expect(issues).toEqual([])
    expect(cases.map(({ id, target, files, checks, criteria }) => ({ id, target, files, checks, criteria }))).toEqual([
      { id: 'a', target: null, files: [], checks: [], criteria: { text: 'It is done.', at: { line: 5, column: 13 } } },
    ])
  })

  test('every mistake of a file at once', async () => {
    const text = 'name: A B\ntarget: skill:pdf-tool\ninput:\n  promt: x\nexpected:\n  contians: [a]\n  contains: 5\nextra: 1\n'
    expect(await issuesOf(text)).toMatchInlineSnapshot(`
      [
        "1:1 error missing-field judge: missing; expected an object",
        "1:7 error invalid-value name: must be 1 to 64 characters of a-z, 0-9 and -",
        "3:1 error missing-field input.prompt: missing; expected a string",
        "4:3 error unknown-field input.promt: unknown field. Did you mean "prompt"?",
        "6:3 error unknown-field expected.contians: unknown field. Did you mean "contains"?",
        "7:13 error wrong-type expected.contains: expected a list, got a number",
        "8:1 warning unknown-field extra: unknown field. It is ignored.",
        "2:9 error unknown-target target: the package has no skill "pdf-tool". Did you mean "pdf-tools"?",
      ]
    `)
  })
})

describe('C6 not one case', () => {
  test.each([
    ['a list', '- name: a\n', '1:1 error wrong-type : expected one case, got a list; write one file per case'],
    ['a scalar', 'hello', '1:1 error wrong-type : expected an object, got a string'],
    ['nothing', '', '1:1 error empty-file : no case in the file: it is empty or holds only comments'],
    ['two documents', `${CASE}---\n${CASE}`, '6:1 error two-documents : a second document starts here; one file holds one document'],
  ])('%s', async (_, text, problem) => {
    expect(await issuesOf(text)).toEqual([problem])
  })

  test('C1 to C4 a bomb costs its file and nothing else', async () => {
    expect(await issuesOf(`${CASE}x: &a 1\n`)).toEqual([
      '6:4 error yaml-alias : anchors and aliases are not read (&a); write the value out, or quote the text',
    ])
  })

  test('C7 Latin-1', async () => {
    await using fixture = await createFixture(PACKAGE)
    await mkdir(fixture.getPath('evals/cases'))
    await writeFile(fixture.getPath('evals/cases/a.yaml'), Buffer.from('name: a\ninput: \xe4\n', 'latin1'))
    expect(wordIssues(await loadCase(fixture), fixture)).toEqual([
      '2:1 error not-utf-8 : not valid UTF-8; save the file as UTF-8',
    ])
  })
})

describe('C9 and C10 fields', () => {
  test.each([
    ['a typo', `${CASE}expected:\n  contians: [a]\n`, '7:3 error unknown-field expected.contians: unknown field. Did you mean "contains"?'],
    ['snake case', `${CASE}expected:\n  agent_blocked: true\n`, '7:3 error unknown-field expected.agent_blocked: unknown field. Did you mean "agent-blocked"?'],
    ['an unknown one', `${CASE}timeout: 5\n`, '6:1 warning unknown-field timeout: unknown field. It is ignored.'],
    ['contains: 5', `${CASE}expected:\n  contains: 5\n`, '7:13 error wrong-type expected.contains: expected a list, got a number'],
    ['contains a number', `${CASE}expected:\n  contains:\n    - ok\n    - 5\n`, '9:7 error wrong-type expected.contains.1: expected a string, got a number'],
    ['agent-blocked: "yes"', `${CASE}expected:\n  agent-blocked: "yes"\n`, '7:18 error wrong-type expected.agent-blocked: expected true or false, got a string'],
    ['no criteria', CASE.replace('  criteria: It is done.', '  note: 1'), '4:1 error missing-field judge.criteria: missing; expected a string'],
  ])('%s', async (_, text, problem) => {
    expect(await issuesOf(text)).toContain(problem)
  })

  test('C8 __proto__ and constructor', async () => {
    expect(await issuesOf(`${CASE}__proto__: 1\n`)).toEqual(['6:1 error unknown-field : "__proto__" is not a field; remove it'])
    expect(await issuesOf(`${CASE}constructor: 1\n`)).toEqual(['6:1 error unknown-field constructor: unknown field. Remove it.'])
  })

  test('C22 an empty contains', async () => {
    expect(await issuesOf(`${CASE}expected:\n  contains: [""]\n`)).toEqual([
      '7:14 error out-of-range expected.contains.0: must not be empty: every output contains it',
    ])
  })

  test('C20 an empty prompt, a huge one, one that looks like an option', async () => {
    expect(await issuesOf(CASE.replace('Do it.', '"  "'))).toEqual(['3:11 error invalid-value input.prompt: must not be empty'])
    expect(await issuesOf(CASE.replace('Do it.', 'x'.repeat(5_000_000)))).toEqual([
      '1:1 error file-too-large : the file is larger than 256 KiB',
    ])
    expect(await issuesOf(CASE.replace('Do it.', '--dangerously-skip-permissions'))).toEqual([])
    expect(await issuesOf(CASE.replace('Do it.', '"a\\0b"'))).toEqual([
      '3:11 error invalid-value input.prompt: must not hold a NUL character',
    ])
  })

  test('C21 empty and endless criteria', async () => {
    expect(await issuesOf(CASE.replace('It is done.', '""'))).toEqual([
      '5:13 error invalid-value judge.criteria: must not be empty: it is what the judge is asked',
    ])
    expect(await issuesOf(CASE.replace('It is done.', 'x'.repeat(20_001)))).toEqual([
      '5:13 error out-of-range judge.criteria: is longer than 20000 characters',
    ])
  })
})

describe('C12 names', () => {
  test.each(['A B', 'a'.repeat(65), '../x', 'a.', 'a_b', 'ä', '""'])('%s', async (name) => {
    expect(await issuesOf(CASE.replace('name: a', `name: ${name}`))).toEqual([
      '1:7 error invalid-value name: must be 1 to 64 characters of a-z, 0-9 and -',
    ])
  })

  test('a device, and none', async () => {
    expect(await issuesOf(CASE.replace('name: a', 'name: con'))).toEqual([
      '1:7 error invalid-value name: is a reserved device name; choose another',
    ])
    expect(await issuesOf(CASE.replace('name: a\n', ''))).toEqual(['1:1 error missing-field name: missing; expected a string'])
  })
})

describe('C16 targets', () => {
  test.each([
    ['skill:pdf-tools', null],
    ['agent:auditor', null],
    ['hook:pre-tool-use', null],
    ['skill:pdf-tool', 'unknown-target target: the package has no skill "pdf-tool". Did you mean "pdf-tools"?'],
    ['skill:../../x', 'unknown-target target: the package has no skill "../../x". It has pdf-tools.'],
    ['agent:nobody', 'unknown-target target: the package has no agent "nobody". It has auditor.'],
    ['hook:stop', 'unknown-target target: hooks/hooks.json has no hook for "stop". It has pre-tool-use.'],
    ['skil:x', 'invalid-target target: expected skill:<name>, hook:<event> or agent:<name>, got "skil:x". Did you mean "skill"?'],
    ['"skill:"', 'invalid-target target: the name after "skill:" is missing'],
  ])('%s', async (target, problem) => {
    const issues = await issuesOf(`${CASE}target: ${target}\n`)
    expect(issues).toEqual(problem === null ? [] : [`6:9 error ${problem}`])
  })

  test("Claude's name of an event", async () => {
    const [issue] = await issuesOf(`${CASE}target: hook:PreToolUse\n`)
    expect(issue).toMatch(/"PreToolUse" is not a hook event; .* Did you mean "pre-tool-use"\?$/)
  })

  test('two skills of one name', async () => {
    const issues = await issuesOf(`${CASE}target: skill:pdf-tools\n`, {
      'skills/other/SKILL.md': '---\nname: pdf-tools\ndescription: Also.\n---\n',
    })
    expect(issues).toEqual(['6:9 error unknown-target target: two skills of the package are called "pdf-tools"; rename one of them'])
  })

  test('a skill that is broken', async () => {
    expect(await issuesOf(`${CASE}target: skill:broken\n`, { 'skills/broken/SKILL.md': '# Title' })).toEqual([
      '6:9 error unknown-target target: this skill is broken: skills/broken/SKILL.md:1:1 SKILL.md starts with no front matter; begin it with --- and name and description',
    ])
  })
})

describe('eval-config.json', () => {
  test('absent: all defaults and a note', async () => {
    await using fixture = await createPackage(CASE)
    await fixture.rm('evals/eval-config.json')
    const suite = await loadCase(fixture)
    expect(suite.config).toEqual({ file: null, engine: null, timeout: null, judge: null, network: false, writablePaths: null, env: {} })
    expect(wordIssues(suite, fixture)).toEqual([
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
      '1:46 error wrong-type timeout: expected a number, got a string',
    ])
    expect(await configIssues('{"version": 1, "engine": "codex", "timeout": Infinity}')).toEqual([
      '1:46 error json-syntax : "Infinity" is not JSON; put a text in double quotes',
    ])
  })

  test('C15 the version', async () => {
    expect(await configIssues('{"version": 2, "engine": "codex"}')).toEqual(['1:13 error invalid-value version: expected 1, got a number'])
    expect(await configIssues('{"engine": "codex"}')).toEqual(['1:1 error missing-field version: missing; expected 1'])
  })

  test('C14 an engine of any name is read: whether it can run is decided before anything starts', async () => {
    expect(await configIssues('{"version": 1, "engine": "cursor"}')).toEqual([])
  })

  test.each(['PATH', 'LD_PRELOAD', 'NODE_OPTIONS', 'ANTHROPIC_BASE_URL', 'OPENAI_API_KEY', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'TMPDIR', 'HOME', 'https_proxy'])(
    'C17 the reserved variable %s',
    async (name) => {
      expect(await configIssues(`{"version": 1, "engine": "codex", "env": {"${name}": "x"}}`)).toEqual([
        `1:43 error env-name env.${name}: is reserved: it would change the agent or its sandbox; choose another name`,
      ])
    },
  )

  test('C17 names and values that are none', async () => {
    const config = '{"version": 1, "engine": "codex", "env": {"A=B": "1", "": "x", "OK": 1, "NUL": "\\u0000"}}'
    expect(await configIssues(config)).toMatchInlineSnapshot(`
      [
        "1:43 error env-name env.A=B: not a variable name; use A-Z, 0-9 and _, not starting with a digit",
        "1:55 error env-name env.: not a variable name; use A-Z, 0-9 and _, not starting with a digit",
        "1:70 error wrong-type env.OK: expected a string, got a number",
        "1:80 error invalid-value env.NUL: must not hold a NUL character",
      ]
    `)
  })

  test.each(['/', '..', '~', '/etc', '', 'a/../..', 'C:\\\\x'])('C18 the writable path %j', async (path) => {
    const issues = await configIssues(`{"version": 1, "engine": "codex", "sandbox": {"writable-paths": ["${path}"]}}`)
    expect(issues).toHaveLength(1)
    expect(issues[0]).toMatch(/^1:66 error unsafe-path sandbox.writable-paths.0: the path /)
  })

  test('C19 the configuration of the agent', async () => {
    expect(await configIssues('{"version": 1, "engine": "codex", "sandbox": {"writable-paths": [".git/", ".claude/", "."]}}')).toEqual([])
    expect(await configIssues('{"version": 1, "engine": "codex", "sandbox": {"writable-paths": [".git/", ".claude/"]}}')).toEqual([
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

describe('files', () => {
  test.each([
    ['../../etc/passwd', 'leaves the folder with ".."'],
    ['/etc/passwd', 'is absolute; write it relative'],
    ['C:/x', 'starts with a drive letter; write it relative'],
    ['\\\\srv\\x', 'holds a backslash; write "/" between folders'],
    ['a\\..\\x', 'holds a backslash; write "/" between folders'],
    ['~/.ssh/id', 'starts with "~"; write it relative'],
    ['a\0b', 'holds a control character'],
    ['a\nb', 'holds a control character'],
    ['a\u001Bb', 'holds a control character'],
    ['x'.repeat(300), 'holds a name of more than 255 bytes'],
    ['a ', 'holds a name that starts or ends with a space'],
    ['a.', 'holds a name that ends with a dot'],
    ['', 'is empty'],
    ['.', 'names the folder itself'],
  ])('F1 and F2 %j', async (path, reason) => {
    expect(await issuesOf(withInput(`  files: [ok.txt, ${JSON.stringify(path)}]`), { 'evals/ok.txt': '' })).toEqual([
      `4:19 error unsafe-path input.files.1: the path ${reason}`,
    ])
  })

  test('F3 a missing one names the entry; a slash after a file', async () => {
    expect(await issuesOf(withInput('  files:\n    - fixtures/none.pdf'))).toEqual([
      '5:7 error file-missing input.files.0: fixtures/none.pdf does not exist below the folder of the evals',
    ])
  })

  test('F4 and F5 links and pipes, also below', async () => {
    await using fixture = await createPackage(
      withInput('  files: [link.txt, linked/secret.txt, pipe, folder]\n  workspace-files: [link.txt]'),
      { 'outside/secret.txt': 's', 'evals/folder/ok.txt': '' },
    )
    await symlink(fixture.getPath('outside/secret.txt'), fixture.getPath('evals/link.txt'))
    await symlink(fixture.getPath('outside'), fixture.getPath('evals/linked'))
    await symlink(fixture.getPath('outside'), fixture.getPath('evals/folder/inner'))
    execFileSync('mkfifo', [fixture.getPath('evals/pipe')])
    expect(wordIssues(await loadCase(fixture), fixture)).toMatchInlineSnapshot(`
      [
        "4:11 error not-a-file input.files.0: link.txt is a symbolic link; copy the file itself",
        "4:21 error not-a-file input.files.1: linked/secret.txt lies below a symbolic link",
        "4:40 error not-a-file input.files.2: pipe is a named pipe, not a regular file",
        "4:46 error not-a-file input.files.3: folder/inner is a symbolic link, not a regular file",
        "5:21 error not-a-file input.workspace-files.0: link.txt is a symbolic link; copy the file itself",
      ]
    `)
  })

  test('F7 and F11 one file under two names', async () => {
    const files = { 'evals/A.txt': '', 'evals/a.txt': '', 'evals/d': '' }
    expect(await issuesOf(withInput('  files: [A.txt, a.txt, d]\n  workspace-files: ["cafe\\u0301", "caf\\u00e9", d/x, a.txt]'), files)).toMatchInlineSnapshot(`
      [
        "4:18 error same-path input.files.1: a.txt and A.txt are one file on some disks",
        "5:35 error same-path input.workspace-files.1: café and café are one file on some disks",
        "5:53 error same-path input.workspace-files.3: a.txt is named twice; remove one",
        "5:48 error same-path input.workspace-files.2: d cannot be a file and the folder of d/x",
      ]
    `)
  })

  test('F8 the answers and the configuration of the agent', async () => {
    expect(
      await issuesOf(withInput('  files: [cases, eval-config.json]\n  workspace-files: [.claude/settings.json, .git/hooks/x, AGENTS.md]')),
    ).toMatchInlineSnapshot(`
      [
        "4:11 error reserved-path input.files.0: cases belongs to the evals themselves; the agent must not see it",
        "4:18 error reserved-path input.files.1: eval-config.json belongs to the evals themselves; the agent must not see it",
        "5:21 error reserved-path input.workspace-files.0: .claude/settings.json configures the agent; put it into the package instead",
        "5:44 error reserved-path input.workspace-files.1: .git/hooks/x configures the agent; put it into the package instead",
      ]
    `)
  })
})

describe('C26 the case file itself', () => {
  test.each(['link', 'pipe', 'folder'])('a %s', async (kind) => {
    await using fixture = await createPackage(CASE)
    const file = fixture.getPath('evals/cases/a.yaml')
    await rename(file, fixture.getPath('a.yaml'))
    if (kind === 'link') await symlink(fixture.getPath('a.yaml'), file)
    if (kind === 'pipe') execFileSync('mkfifo', [file])
    if (kind === 'folder') await mkdir(file)
    const suite = await loadCase(fixture)
    expect(suite.cases).toEqual([])
    expect(wordIssues(suite, fixture)).toHaveLength(1)
    expect(suite.issues[0]?.code).toBe('not-a-file')
  })

  test('C27 what was parsed is what the suite holds, whatever happens to the file afterwards', async () => {
    await using fixture = await createPackage(CASE)
    const suite = await loadSuite(fixture.getPath('evals/cases/a.yaml'), { root: fixture.path })
    await fixture.writeFile('evals/cases/a.yaml', 'broken: [')
    expect(suite.cases[0]?.prompt).toBe('Do it.')
  })
})
