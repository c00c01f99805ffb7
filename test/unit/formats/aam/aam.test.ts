import { execFileSync } from 'node:child_process'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { loadSuite } from '../../../../src/formats/load-suite.ts'
import { CASE, createPackage, issuesOf, loadCase, PACKAGE, issueLines } from '../../../support/aam-fixture.ts'

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
                "alsoTo": "evals/fixtures/sample.pdf",
                "at": {
                  "column": 7,
                  "line": 7,
                },
                "from": "/root/evals/fixtures/sample.pdf",
                "to": "fixtures/sample.pdf",
              },
              {
                "alsoTo": "evals/fixtures/more/a.txt",
                "at": {
                  "column": 7,
                  "line": 8,
                },
                "from": "/root/evals/fixtures/more/a.txt",
                "to": "fixtures/more/a.txt",
              },
              {
                "alsoTo": "evals/fixtures/more/b/c.txt",
                "at": {
                  "column": 7,
                  "line": 8,
                },
                "from": "/root/evals/fixtures/more/b/c.txt",
                "to": "fixtures/more/b/c.txt",
              },
            ],
            "id": "everything",
            "kind": "task",
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

  test('judge may be left out where a check decides', async () => {
    const head = 'name: a\ninput: { prompt: x }\n'
    expect(await issuesOf(`${head}expected: { contains: [x] }\n`)).toEqual([])
    const missing = 'error missing-field judge: is missing. Write criteria below it, or a check below expected.'
    expect(await issuesOf(head)).toEqual([`1:1 ${missing}`])
    expect(await issuesOf(`${head}expected: {}\n`)).toEqual([`1:1 ${missing}`])
    expect(await issuesOf(`${head}expected: { contains: [x] }\njudge: {}\n`)).toEqual([
      '4:1 error missing-field judge.criteria: missing; expected a string',
    ])
  })

  test('every mistake of a file at once', async () => {
    const text =
      'name: A B\ntarget: skill:pdf-tool\ninput:\n  promt: x\nexpected:\n  contians: [a]\n  contains: 5\nextra: 1\n'
    expect(await issuesOf(text)).toMatchInlineSnapshot(`
      [
        "1:7 error invalid-value name: must be 1 to 64 characters of a-z, 0-9 and -",
        "3:1 error missing-field input.prompt: missing; expected a string",
        "4:3 error unknown-field input.promt: unknown field. Did you mean "prompt"?",
        "6:3 error unknown-field expected.contians: unknown field. Did you mean "contains"?",
        "7:13 error wrong-type expected.contains: expected a list, got a number; write a list: ["5"]",
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
    ['nothing', '', '1:1 error empty-file : no case in the file: it is empty or contains only comments'],
    [
      'two documents',
      `${CASE}---\n${CASE}`,
      '6:1 error two-documents : a second document starts here; one file contains one document',
    ],
  ])('%s', async (_, text, problem) => {
    expect(await issuesOf(text)).toEqual([problem])
  })

  test('C1 to C4 a bomb costs its file and nothing else', async () => {
    expect(await issuesOf(`${CASE}x: &a 1\n`)).toEqual([
      '6:4 error yaml-alias : anchors and aliases are not supported (&a); write the value out, or quote the text',
    ])
  })

  test('C7 Latin-1', async () => {
    await using fixture = await createFixture(PACKAGE)
    await mkdir(fixture.getPath('evals/cases'))
    await writeFile(fixture.getPath('evals/cases/a.yaml'), Buffer.from('name: a\ninput: \xe4\n', 'latin1'))
    expect(issueLines(await loadCase(fixture), fixture)).toEqual([
      '2:8 error not-utf-8 : not valid UTF-8; save the file as UTF-8',
    ])
  })
})

describe('C9 and C10 fields', () => {
  test.each([
    [
      'a typo',
      `${CASE}expected:\n  contians: [a]\n`,
      '7:3 error unknown-field expected.contians: unknown field. Did you mean "contains"?',
    ],
    [
      'snake case',
      `${CASE}expected:\n  agent_blocked: true\n`,
      '7:3 error unknown-field expected.agent_blocked: unknown field. Did you mean "agent-blocked"?',
    ],
    ['an unknown one', `${CASE}timeout: 5\n`, '6:1 warning unknown-field timeout: unknown field. It is ignored.'],
    [
      'contains: 5',
      `${CASE}expected:\n  contains: 5\n`,
      '7:13 error wrong-type expected.contains: expected a list, got a number; write a list: ["5"]',
    ],
    [
      'contains a number',
      `${CASE}expected:\n  contains:\n    - ok\n    - 5\n`,
      '9:7 error wrong-type expected.contains.1: expected a string, got a number; put it in quotes',
    ],
    [
      'agent-blocked: "yes"',
      `${CASE}expected:\n  agent-blocked: "yes"\n`,
      '7:18 error wrong-type expected.agent-blocked: expected true or false, got a string; write true',
    ],
    [
      'no criteria',
      CASE.replace('  criteria: It is done.', '  note: 1'),
      '4:1 error missing-field judge.criteria: missing; expected a string',
    ],
  ])('%s', async (_, text, problem) => {
    expect(await issuesOf(text)).toContain(problem)
  })

  test('C8 __proto__ and constructor', async () => {
    expect(await issuesOf(`${CASE}__proto__: 1\n`)).toEqual([
      '6:1 error unknown-field : "__proto__" is not a field; remove it',
    ])
    expect(await issuesOf(`${CASE}constructor: 1\n`)).toEqual([
      '6:1 error unknown-field constructor: unknown field. Remove it.',
    ])
  })

  test('C22 an empty contains', async () => {
    expect(await issuesOf(`${CASE}expected:\n  contains: [""]\n`)).toEqual([
      '7:14 error out-of-range expected.contains.0: must not be empty: every output contains it',
    ])
  })

  test('C20 an empty prompt, a huge one, one that looks like an option', async () => {
    expect(await issuesOf(CASE.replace('Do it.', '"  "'))).toEqual([
      '3:11 error invalid-value input.prompt: must not be empty',
    ])
    expect(await issuesOf(CASE.replace('Do it.', 'x'.repeat(5_000_000)))).toEqual([
      '1:1 error file-too-large : the file is larger than 256 KiB',
    ])
    expect(await issuesOf(CASE.replace('Do it.', '--dangerously-skip-permissions'))).toEqual([])
    expect(await issuesOf(CASE.replace('Do it.', '"a\\0b"'))).toEqual([
      '3:11 error invalid-value input.prompt: must not contain a NUL character',
    ])
  })

  test('C21 empty and endless criteria', async () => {
    expect(await issuesOf(CASE.replace('It is done.', '""'))).toEqual([
      '5:13 error invalid-value judge.criteria: must not be empty: the judge needs it',
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
    expect(await issuesOf(CASE.replace('name: a\n', ''))).toEqual([
      '1:1 error missing-field name: missing; expected a string',
    ])
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
    expect(issueLines(suite, fixture)).toHaveLength(1)
    expect(suite.issues[0]?.code).toBe('not-a-file')
  })

  test('C27 what was parsed is what the suite holds, whatever happens to the file afterwards', async () => {
    await using fixture = await createPackage(CASE)
    const suite = await loadSuite(fixture.getPath('evals/cases/a.yaml'), { root: fixture.path })
    await fixture.writeFile('evals/cases/a.yaml', 'broken: [')
    expect(suite.cases[0]?.prompt).toBe('Do it.')
  })
})
