import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { findIssues } from '../../../../src/cli/lint/find-issues.ts'
import { pruneRecordings } from '../../../../src/cli/lint/recordings.ts'
import { runProcess } from '../../../../src/sandbox/process/run-process.ts'
import { loadSuites } from '../../../../src/cli/find/search.ts'
import { readTests } from '../../../../src/vitest/command/read-tests.ts'

const CONFIG = '{ "version": 1, "engine": "claude-code" }\n'
const CASE = 'name: greets\ninput:\n  prompt: Say hello.\njudge:\n  criteria: It greets.\n'
const GUARD = (script: string): string =>
  JSON.stringify(
    { version: 1, hooks: { 'pre-tool-use': [{ hooks: [{ type: 'command', command: script }] }] } },
    null,
    2,
  )

const NATIVE = (matcher: string, command: string): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: 'command', command }] }] } })

const SOUND: FileTree = {
  'package.agent.json': '{ "name": "sample", "version": "1.0.0" }\n',
  'evals/eval-config.json': CONFIG,
  'evals/cases/greets.yaml': CASE,
  'evals/scenarios/greets.yaml': 'turns:\n  - text: Hello\n',
}

async function issuesOf(files: FileTree): Promise<readonly string[]> {
  await using fixture = await createFixture({ ...SOUND, ...files })
  const root = fixture.path.replace(/\/$/, '')
  const { issues } = await findIssues(await loadSuites(root))
  return issues.map(
    ({ file, line, column, severity, code }) => `${file.slice(root.length + 1)}:${line}:${column} ${severity} ${code}`,
  )
}

describe('what can be known without a model', () => {
  test('a case file that is a link, a loop or a pipe is named, and never opened', async () => {
    await using fixture = await createFixture({ ...SOUND, 'evals/other/cases/a.yaml': CASE })
    const cases = join(fixture.path, 'evals/cases')
    symlinkSync('greets.yaml', join(cases, 'linked.yaml'))
    symlinkSync('loop.yaml', join(cases, 'loop.yml'))
    symlinkSync('nothing.json', join(fixture.path, 'evals/evals.json'))
    symlinkSync('../README.md', join(cases, 'README.md'))
    await runProcess('mkfifo', [join(cases, 'pipe.yaml')], { env: { PATH: process.env['PATH'] ?? '' }, cwd: cases })
    mkdirSync(join(cases, 'folder.yaml'))
    writeFileSync(join(cases, 'notes.txt'), '')
    const { issues } = await findIssues(await loadSuites(fixture.path))
    const found = issues.filter(({ code }) => code === 'not-a-file')
    expect(found.map(({ file, message }) => [file.slice(fixture.path.length), message.split(',')[0]])).toEqual([
      ['/evals/cases/linked.yaml', 'is a symbolic link'],
      ['/evals/cases/loop.yml', 'is a symbolic link'],
      ['/evals/cases/pipe.yaml', 'is a named pipe'],
      ['/evals/evals.json', 'is a symbolic link'],
    ])
  })

  test('a scenario that lacks the hash of a name in TypeScript is told its whole name', async () => {
    await using fixture = await createFixture({
      ...SOUND,
      'evals/hand.eval.ts':
        "import { test } from 'vitest-agent-evals/test'\ntest('says hello', async ({ agent }) => {\n  await agent.run('Hi')\n})\n",
      'evals/scenarios/says-hello.yaml': 'turns: [Hello]\n',
    })
    const root = fixture.path.replace(/\/$/, '')
    const loaded = await loadSuites(root)
    const tests = (await readTests(root, loaded.evalFiles)).map((found) => ({ ...found, variants: [] }))
    const { issues } = await findIssues({ ...loaded, tests })
    expect(issues.map(({ message }) => message)).toEqual([
      'there is no case "says-hello". Rename it to says-hello-a4568a.yaml.',
    ])
  })

  test('a sound package has nothing wrong', async () => {
    expect(await issuesOf({})).toEqual([])
  })

  test.for<readonly [string, FileTree, readonly string[]]>([
    [
      'an unknown target and a missing fixture',
      {
        'evals/cases/greets.yaml': CASE.replace('input:', 'target: skill:none\ninput:\n  files:\n    - fixtures/x.pdf'),
      },
      ['evals/cases/greets.yaml:2:9 error unknown-target', 'evals/cases/greets.yaml:5:7 error file-missing'],
    ],
    [
      'cases that can never pass',
      {
        'evals/cases/greets.yaml': [
          'name: greets',
          'input:',
          '  prompt: Say hello.',
          '  workspace-files:',
          '    - notes.md',
          'expected:',
          '  contains: ["Hello world"]',
          '  not-contains: ["Hello"]',
          '  files-created: ["out/*.txt", "notes.md", "fine.md"]',
          '  agent-blocked: true',
          'judge:',
          '  criteria: It greets.',
          '',
        ].join('\n'),
      },
      [
        'evals/cases/greets.yaml:8:18 warning never-passes',
        'evals/cases/greets.yaml:9:19 warning never-passes',
        'evals/cases/greets.yaml:9:32 warning never-passes',
        'evals/cases/greets.yaml:10:18 warning never-passes',
      ],
    ],
    [
      'files that no agent can create, or only in its own configuration, and a hook that runs too late to block',
      {
        'evals/eval-config.json':
          '{ "version": 1, "engine": "claude-code", "sandbox": { "writable-paths": ["output/", ".claude/out"] } }',
        'hooks/hooks.json': GUARD('true').replace('pre-tool-use', 'post-tool-use'),
        'evals/cases/greets.yaml': [
          'name: greets',
          'input:',
          '  prompt: Say hello.',
          'expected:',
          '  files-created:',
          '    - src/a.txt',
          '    - outputs/a.txt',
          '    - output/a.txt',
          '    - ./output',
          '    - package.agent.json',
          '    - .claude/out/a.txt',
          '  agent-blocked: true',
          'judge:',
          '  criteria: It greets.',
          '',
        ].join('\n'),
      },
      [
        'evals/cases/greets.yaml:6:7 warning never-passes',
        'evals/cases/greets.yaml:7:7 warning never-passes',
        'evals/cases/greets.yaml:10:7 warning never-passes',
        'evals/cases/greets.yaml:11:7 warning never-passes',
        'evals/cases/greets.yaml:12:18 warning never-passes',
        'evals/eval-config.json:1:85 warning writable-config',
      ],
    ],
    [
      'a hook that can block beside one that runs too late, unless the case is about the late one',
      {
        'hooks/hooks.json': JSON.stringify({
          version: 1,
          hooks: Object.fromEntries(
            ['pre-tool-use', 'post-tool-use'].map((event) => [
              event,
              [{ hooks: [{ type: 'command', command: 'true' }] }],
            ]),
          ),
        }),
        'evals/cases/greets.yaml': `${CASE}expected:\n  agent-blocked: true\n`,
        'evals/cases/late.yaml': `target: hook:post-tool-use\n${CASE.replace('greets', 'late')}expected:\n  agent-blocked: true\n`,
      },
      ['evals/cases/late.yaml:8:18 warning never-passes'],
    ],
    [
      'two cases of one name',
      { 'evals/cases/again.yaml': CASE },
      ['evals/cases/again.yaml:1:7 error duplicate-name', 'evals/cases/greets.yaml:1:7 error duplicate-name'],
    ],
    [
      'a judge of no provider, and a pattern for a folder',
      {
        'evals/eval-config.json':
          '{ "version": 1, "engine": "codex", "judge": "gemini:flash", "sandbox": { "writable-paths": ["src/**"] } }',
      },
      ['evals/eval-config.json:1:45 error unknown-judge', 'evals/eval-config.json:1:93 error invalid-value'],
    ],
    [
      'a judge of no provider',
      { 'evals/eval-config.json': '{ "version": 1, "engine": "codex", "judge": "gemini:flash" }' },
      ['evals/eval-config.json:1:45 error unknown-judge'],
    ],
    [
      'a file that a free test needs, and a hook of which nothing is expected',
      {
        'skills/s/SKILL.md': '---\nname: s\ndescription: d\n---\n',
        'skills/s/tests/cases/a.yaml': 'name: a\ninput:\n  command: ls\n  files:\n    - fixtures/x.txt\n',
        'hooks/hooks.json': GUARD('true'),
        'hooks/tests/cases/b.yaml': 'name: b\nevent: pre-tool-use\n',
      },
      ['hooks/tests/cases/b.yaml:1:1 warning no-expectations', 'skills/s/tests/cases/a.yaml:5:7 error file-missing'],
    ],
    [
      'an agent that is told nothing, one with a skill that is not there, and a part that is misspelt',
      {
        'package.agent.json': '{ "name": "sample", "version": "1.0.0", "skils": "./skills" }\n',
        'agents/a/agent.yaml': 'name: a\ndescription: d\nsystem_prompt: p.md\n',
        'agents/a/p.md': '---\ndescription: d\n---\n',
        'agents/b/agent.yaml': 'name: b\ndescription: d\nsystem_prompt: p.md\nskills: [none]\n',
        'agents/b/p.md': 'You are.',
      },
      [
        'agents/a/p.md:1:1 error empty-file',
        'agents/b/agent.yaml:4:10 warning unknown-skill',
        'package.agent.json:1:41 error unknown-field',
      ],
    ],
    [
      'queries that all should fire, and a prompt that is not sent',
      {
        'skills/s/SKILL.md': '---\nname: s\ndescription: d\n---\n',
        'skills/s/evals/triggers.json':
          '[{ "query": "a", "should_trigger": true }, { "query": "b", "prompt": "c", "should_trigger": true }]',
      },
      [
        'skills/s/evals/triggers.json:1:13 warning one-sided-queries',
        'skills/s/evals/triggers.json:1:60 warning no-effect',
      ],
    ],
    [
      'an engine that is none',
      { 'evals/eval-config.json': CONFIG.replace('claude-code', 'cursor') },
      ['evals/eval-config.json:1:27 error unsupported-engine'],
    ],
    [
      'a hook whose script is not there',
      { 'hooks/hooks.json': GUARD('node "${PACKAGE_ROOT}/hooks/guard.mjs"') },
      ['hooks/hooks.json:9:24 error missing-script'],
    ],
    [
      'a hook whose script is there',
      { 'hooks/hooks.json': GUARD('node "${PACKAGE_ROOT}/hooks/guard.mjs"'), 'hooks/guard.mjs': '' },
      [],
    ],
    [
      'a hook that is not executable, and one whose matcher is nearly the name of a tool',
      {
        'hooks/hooks.json': NATIVE('bash|Edit|mcp__x__y', '${CLAUDE_PLUGIN_ROOT}/hooks/guard'),
        'hooks/guard': '#!/bin/sh\n',
      },
      [
        'hooks/hooks.json:1:36 warning unknown-tool',
        'hooks/hooks.json:1:95 error not-executable',
        'hooks/hooks.json:1:95 warning unquoted-path',
      ],
    ],
    [
      'a hook whose script only the session knows',
      { 'hooks/hooks.json': GUARD('node "${SOMEWHERE_ELSE_X}/guard.mjs"') },
      [],
    ],
    [
      'a scenario with a mistake',
      { 'evals/scenarios/greets.yaml': 'turns:\n  - txt: Hello\n' },
      ['evals/scenarios/greets.yaml:2:5 error invalid-value', 'evals/scenarios/greets.yaml:2:5 error unknown-field'],
    ],
    [
      'a scenario without a case',
      { 'evals/scenarios/greet.yaml': 'turns:\n  - text: Hello\n' },
      ['evals/scenarios/greet.yaml:1:1 warning scenario-without-case'],
    ],
    [
      'a recording that is none',
      { 'evals/recordings/cases/greets/claude-code.1.json': '{}' },
      ['evals/recordings/cases/greets/claude-code.1.json:1:1 error recording-invalid'],
    ],
    [
      'a recording without a case',
      { 'evals/recordings/cases/gone/claude-code.1.json': '{}' },
      ['evals/recordings/cases/gone/claude-code.1.json:1:1 warning recording-without-case'],
    ],
    [
      'a broken free test',
      { 'hooks/tests/test-config.json': '{ "version": 1 }', 'hooks/tests/cases/01.yaml': 'nome: x\n' },
      expect.arrayContaining([expect.stringMatching(/^hooks\/tests\/cases\/01\.yaml:1:1 error /)]),
    ],
  ])('%s', async ([, files, expected]) => {
    expect(await issuesOf(files)).toEqual(expected)
  })
})

describe('--prune', () => {
  const RECORDINGS = {
    'evals/recordings/cases/greets/claude-code.1.json': '{}',
    'evals/recordings/cases/gone/claude-code.1.json': '{}',
    'evals/recordings/extract.eval/a-test/claude-code.1.json': '{}',
    'extract.eval.ts': "import { test } from 'vitest-agent-evals/test'\n",
  }

  test('removes what belongs to no case with its empty folder, and leaves the tests in TypeScript alone', async () => {
    await using fixture = await createFixture({ ...SOUND, ...RECORDINGS })
    const root = fixture.path.replace(/\/$/, '')
    const { packages } = await findIssues(await loadSuites(root))
    expect(packages.flatMap(pruneRecordings)).toEqual([join(root, 'evals/recordings/cases/gone/claude-code.1.json')])
    expect(['gone', 'greets'].map((name) => existsSync(join(root, 'evals/recordings/cases', name)))).toEqual([
      false,
      true,
    ])
  })

  test('removes nothing while a file cannot be read: its cases may own anything', async () => {
    await using fixture = await createFixture({ ...SOUND, ...RECORDINGS, 'evals/cases/gone.yaml': 'name: [\n' })
    const { packages } = await findIssues(await loadSuites(fixture.path.replace(/\/$/, '')))
    expect(packages.flatMap(pruneRecordings)).toEqual([])
  })
})
