import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findSuitesOf } from '../../../support/find-suites.ts'
import { loadSuite } from '../../../../src/formats/load-suite.ts'
import type { Suite } from '../../../../src/formats/suite.ts'

const PLUGIN = {
  '.claude-plugin/plugin.json': '{"name":"greeter","version":"1.0.0"}',
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n',
}
const HELLO = '---\ntype: regex\n---\nhello\n'

async function load(files: Readonly<Record<string, string>>, file: string): Promise<Suite> {
  await using fixture = await createFixture({ ...PLUGIN, ...files })
  return loadSuite(fixture.getPath(file), { root: fixture.path.replace(/\/$/, '') })
}

function words({ issues, packageRoot }: Suite): readonly string[] {
  return issues.map(({ file, line, severity, code, field }) => {
    return `${file.slice(packageRoot.length + 1)}:${line} ${severity} ${code} ${field}`.trim()
  })
}

test('a case of prose files: every field of its front matter, graders by file name, defaults', async () => {
  const suite = await load(
    {
      'evals/group/01-hello/prompt.md': `---
name: Says hello
description: Greets Alex.
tags: [smoke, greeting]
runs: 5
expected_outcome: A greeting.
model: haiku
max_turns: 4
timeout_seconds: 60
allowed_tools: [Read, "Bash(npm test:*)"]
disallowed_tools: [Agent]
append_system_prompt: Be brief.
env: { EVAL_MODE: fast }
---

Say hello to Alex.
`,
      'evals/group/01-hello/graders/b-file.md': '---\ntype: file_exists\npath: out/**\nexists: false\n---\n',
      'evals/group/01-hello/graders/a-says.md':
        '---\ntype: regex\nflags: i\nmatch: count:2\ntarget: trace\n---\nhello\n',
      'evals/group/01-hello/graders/notes.txt': 'no grader',
    },
    'evals/group/01-hello/prompt.md',
  )
  expect(words(suite)).toEqual([])
  const [evalCase] = suite.cases
  expect(evalCase).toMatchObject({
    id: '01-hello',
    name: 'Says hello',
    description: 'Greets Alex.',
    prompt: 'Say hello to Alex.',
    tags: ['smoke', 'greeting'],
    runs: 5,
    timeout: 60,
    at: { line: 2 },
    promptAt: { line: 15 },
  })
  const root = suite.packageRoot
  expect(evalCase?.kind === 'plugin-eval' ? evalCase.pluginEval : null).toEqual({
    name: 'Says hello',
    caseDir: `${root}/evals/group/01-hello`,
    evalsDir: `${root}/evals`,
    pluginDirs: [root],
    expectedOutcome: 'A greeting.',
    runs: 5,
    context: { scaffold: null, history: null, addDirs: [] },
    execution: {
      maxTurns: 4,
      timeoutSeconds: 60,
      model: 'haiku',
      allowedTools: ['Read', 'Bash(npm test:*)'],
      disallowedTools: ['Agent'],
      appendSystemPrompt: 'Be brief.',
      env: { EVAL_MODE: 'fast' },
    },
    graders: [
      {
        type: 'regex',
        name: 'a-says',
        weight: 1,
        arm: null,
        at: { line: 2, column: 1 },
        check: { kind: 'matches', value: 'hello', flags: 'i', times: 2, target: { kind: 'trace' } },
      },
      {
        type: 'file_exists',
        name: 'b-file',
        weight: 1,
        arm: null,
        at: { line: 2, column: 1 },
        check: { kind: 'glob-created', value: 'out/**', exists: false },
      },
    ],
    mocks: [],
  })
})

test('case.yaml: every grader and target, context, and prompt.md beside it wins', async () => {
  const suite = await load(
    {
      'evals/all/case.yaml': `schema_version: "1.1"
name: all
plugins: [../..]
context:
  scaffold_script: scaffold.sh
  history_file: history.jsonl
  add_dirs: [fixtures]
execution:
  prompt: from the case
  max_turns: 7
  disallowed_tools: [Agent]
graders:
  - { type: tool_order, name: order, before: Read, after: { tool: Write, input_match: report }, weight: 2 }
  - { type: tool_used, name: used, tool: Skill, input_match: greet, min: 0, max: 3, arm: both }
  - { type: llm, name: image, criteria: A chart., focus: { source: file, path: chart.png } }
  - { type: baseline, name: base, baseline_file: base.jsonl, criteria: As good., arm: with-only }
`,
      'evals/all/prompt.md': '---\nmax_turns: 9\ndisallowed_tools: [TaskStop]\n---\nfrom the prompt\n',
      'evals/all/graders/mocked.md': '---\ntype: regex\ntarget: mock_calls\nname: calls\n---\ncreate_issue\n',
      'evals/all/scaffold.sh': 'true\n',
      'evals/all/history.jsonl': '{}\n',
      'evals/all/base.jsonl': '{}\n',
      'evals/all/fixtures/data.txt': 'data',
    },
    'evals/all/case.yaml',
  )
  expect(words(suite)).toEqual([])
  const [evalCase] = suite.cases
  expect(evalCase?.prompt).toBe('from the prompt')
  expect(evalCase?.kind === 'plugin-eval' ? evalCase.pluginEval : null).toMatchObject({
    execution: { maxTurns: 9, disallowedTools: ['Agent', 'TaskStop'] },
    context: {
      scaffold: 'scaffold.sh',
      history: 'history.jsonl',
      addDirs: ['fixtures'],
    },
    graders: [
      {
        check: {
          kind: 'first-called',
          before: { value: 'Read', isExact: true },
          after: { value: 'Write', isExact: true, inputMatch: { value: 'report' } },
        },
        weight: 2,
      },
      {
        check: { kind: 'tool-called', value: 'Skill', inputMatch: { value: 'greet' }, min: 0, max: 3 },
        arm: 'both',
      },
      { focus: { kind: 'file', path: 'chart.png' } },
      { baselineFile: 'base.jsonl', arm: 'with-only' },
      { name: 'calls', check: { target: { kind: 'mock_calls' } } },
    ],
  })
})

test('every mistake of a case at its line, in the file where it is written', async () => {
  const suite = await load(
    {
      'evals/bad/prompt.md': '---\nmax_turns: 201\ntimeout_seconds: 0\nruns: 51\nallowed_tools: Read\n---\nHi.\n',
      'evals/bad/graders/a.md':
        '---\ntype: regex\nfoo: 1\nweight: 0\nflags: q\nmatch: sometimes\ntarget: nowhere\n---\n',
      'evals/bad/graders/b.md': '---\ntype: code\n---\nx\n',
    },
    'evals/bad/prompt.md',
  )
  expect(suite.cases).toEqual([])
  expect(words(suite).toSorted()).toEqual([
    'evals/bad/graders/a.md:2 error missing-field pattern',
    'evals/bad/graders/a.md:3 error unknown-field foo',
    'evals/bad/graders/a.md:4 error out-of-range weight',
    'evals/bad/graders/a.md:5 error invalid-value flags',
    'evals/bad/graders/a.md:6 error invalid-value match',
    'evals/bad/graders/a.md:7 error invalid-value target',
    'evals/bad/graders/b.md:2 error wrong-type type',
    'evals/bad/prompt.md:2 error out-of-range max_turns',
    'evals/bad/prompt.md:3 error out-of-range timeout_seconds',
    'evals/bad/prompt.md:4 error out-of-range runs',
    'evals/bad/prompt.md:5 error wrong-type allowed_tools',
  ])
})

test.each([
  ['an unknown field', { 'prompt.md': '---\nmax_turn: 3\n---\nHi.\n' }, 'prompt.md:2 error unknown-field max_turn'],
  ['an open front matter', { 'prompt.md': '---\nruns: 1\nHi.\n' }, 'prompt.md:1 error front-matter'],
  ['no prompt', { 'prompt.md': '---\nruns: 1\n---\n' }, 'prompt.md:1 error missing-field execution.prompt'],
  [
    'a grader without a type',
    { 'graders/hi.md': '---\nweight: 2\n---\nx' },
    'graders/hi.md:2 error missing-field type',
  ],
  [
    'the template of the prompt',
    { 'prompt.md': 'TODO: describe what the agent should do' },
    'prompt.md:1 error placeholder prompt',
  ],
  ['a list as a case', { 'case.yaml': '- a\n' }, 'case.yaml:1 error wrong-type'],
  ['no version', { 'case.yaml': 'name: x\n' }, 'case.yaml:1 error missing-field schema_version'],
  [
    'a newer version',
    { 'case.yaml': 'schema_version: "2.0"\n' },
    'case.yaml:1 error unsupported-version schema_version',
  ],
  [
    'two graders of one name',
    { 'graders/b.md': '---\ntype: regex\nname: hi\n---\nhi\n' },
    'graders/hi.md:2 error duplicate-name name',
  ],
  [
    'a wrong variable',
    { 'prompt.md': '---\nenv: { PATH: x }\n---\nHi.\n' },
    'prompt.md:2 error invalid-variable env.PATH',
  ],
])('%s is an error at its place', async (_, files, expected) => {
  const base = { 'prompt.md': 'Hi.\n', 'graders/hi.md': HELLO, ...files }
  const placed = Object.fromEntries(Object.entries(base).map(([path, text]) => [`evals/one/${path}`, text]))
  const suite = await load(placed, `evals/one/${'case.yaml' in files ? 'case.yaml' : 'prompt.md'}`)
  expect(words(suite)).toContain(`evals/one/${expected}`)
  expect(suite.cases.every(({ broken }) => broken !== undefined)).toBe(true)
})

test('paths of a case stay inside its folder', async () => {
  const suite = await load(
    {
      'evals/one/case.yaml': `schema_version: "1.0"
name: one
context: { history_file: ../other.jsonl, add_dirs: [gone] }
execution: { prompt: Hi. }
graders: [{ type: regex, name: hi, pattern: hi }]
`,
    },
    'evals/one/case.yaml',
  )
  expect(words(suite)).toEqual([
    'evals/one/case.yaml:3 error unsafe-path context.history_file',
    'evals/one/case.yaml:3 error file-missing context.add_dirs.0',
  ])
  expect(suite.cases[0]?.broken).toContain('leads out of the folder')
})

test('what Claude Code ignores has no effect here either, and is named', async () => {
  const suite = await load(
    {
      'evals/one/case.yaml': `schema_version: "1.0"
name: one
extra: 1
execution: { prompt: Hi., foo: 2, artifact_publish: true }
graders: [{ type: regex, name: hi, pattern: hi }]
`,
      'evals/one/graders/notes.md': 'No front matter.\n',
    },
    'evals/one/case.yaml',
  )
  expect(words(suite)).toEqual([
    'evals/one/graders/notes.md:1 warning no-effect',
    'evals/one/case.yaml:3 warning no-effect extra',
    'evals/one/case.yaml:4 warning no-effect execution.foo',
    'evals/one/case.yaml:4 warning no-effect execution.artifact_publish',
  ])
  expect(suite.cases).toHaveLength(1)
})

test('cases are found in grouping folders, one file each; other prompts are left alone', async () => {
  await using fixture = await createFixture({
    ...PLUGIN,
    'evals/a/prompt.md': 'Hi.\n',
    'evals/a/graders/hi.md': HELLO,
    'evals/a/nested/prompt.md': 'a fixture of the case',
    'evals/group/b/case.yaml': 'schema_version: "1.0"\n',
    'evals/group/b/prompt.md': 'Hi.\n',
    'evals/group/c/prompt.md': 'no grader yet\n',
    'evals/mocks/server/prompt.md': 'a tool called prompt',
    'evals/results/x/prompt.md': 'a copy',
    'evals/.hidden/prompt.md': 'Hi.\n',
    'other/evals/x/prompt.md': 'A prompt of another tool.\n',
    'other/package.json': '{}',
    'evals/golden/rubric.md': '# Rubric',
  })
  const root = fixture.path.replace(/\/$/, '')
  const ours = await findSuitesOf('plugin-eval', root)
  expect(ours.map((file) => file.slice(root.length + 1))).toEqual([
    'evals/.hidden/prompt.md',
    'evals/a/prompt.md',
    'evals/group/b/case.yaml',
    'evals/group/c/prompt.md',
  ])
})

test('what is behind a link is found, and is an error of the case', async () => {
  await using fixture = await createFixture({
    ...PLUGIN,
    'elsewhere/case/prompt.md': 'Hi.\n',
    'elsewhere/case/graders/hi.md': HELLO,
    'evals/good/prompt.md': 'Hi.\n',
    'evals/good/graders/hi.md': HELLO,
    'evals/good/files/prompt.md': ({ symlink }) => symlink('../prompt.md'),
    'evals/group/prompt/prompt.md': ({ symlink }) => symlink('../../../elsewhere/case/prompt.md'),
    'evals/group/prompt/graders/hi.md': HELLO,
    'evals/grader/prompt.md': 'Hi.\n',
    'evals/grader/graders/hi.md': ({ symlink }) => symlink('nowhere'),
    'evals/graders/prompt.md': 'Hi.\n',
    'evals/graders/graders': ({ symlink }) => symlink('../../elsewhere/case/graders'),
    'evals/folder': ({ symlink }) => symlink('../elsewhere/case'),
    'evals/again': ({ symlink }) => symlink('..'),
  })
  const root = fixture.path.replace(/\/$/, '')
  const suites = await Promise.all((await findSuitesOf('plugin-eval', root)).map((file) => loadSuite(file, { root })))
  expect(suites.map((suite) => `${suite.file.slice(root.length + 1)}: ${words(suite).join()}`)).toEqual([
    'evals/folder/prompt.md: evals/folder:1 error not-a-folder',
    'evals/good/prompt.md: ',
    'evals/grader/prompt.md: evals/grader/graders/hi.md:1 error not-a-file',
    'evals/graders/prompt.md: evals/graders/graders:1 error not-a-folder',
    'evals/group/prompt/prompt.md: evals/group/prompt/prompt.md:1 error not-a-file',
  ])
})

test('a file of a case may be as large as for Claude Code', async () => {
  const files = (size: number): Readonly<Record<string, string>> => ({
    'evals/one/prompt.md': 'x'.repeat(size),
    'evals/one/graders/hi.md': HELLO,
  })
  expect(words(await load(files(1_048_576), 'evals/one/prompt.md'))).toEqual([])
  expect(words(await load(files(1_048_577), 'evals/one/prompt.md'))).toEqual([
    'evals/one/prompt.md:1 error file-too-large',
  ])
})
