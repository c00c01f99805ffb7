import { createFixture, type FileTree } from 'fs-fixture'
import { afterEach, expect, test, vi } from 'vitest'
import { findIssues } from '../../../src/cli/lint/find-issues.ts'
import { list } from '../../../src/cli/commands/list.ts'
import { loadSuites } from '../../../src/cli/find/search.ts'
import { readRunArguments } from '../../../src/cli/run-arguments.ts'

afterEach(() => void vi.restoreAllMocks())

const SUITE: FileTree = {
  '.claude-plugin/plugin.json': '{"name":"greeter","version":"1.0.0"}',
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n',
  'evals/hello/prompt.md': '---\nruns: 2\ntags: [smoke]\n---\nSay hello.\n',
  'evals/hello/graders/polite.md': '---\ntype: llm\n---\nIt is polite.\n',
  'evals/hello/graders/says.md': '---\ntype: regex\nflags: i\n---\nhello\n',
  'evals/group/bye/case.yaml': JSON.stringify({
    schema_version: '1.1',
    name: 'bye',
    context: { history_file: 'history.jsonl' },
    execution: { prompt: 'Say bye.' },
    graders: [{ type: 'tool_used', name: 'skill', tool: 'Skill', max: 0 }],
  }),
  'evals/group/bye/history.jsonl': '{}\n',
}

async function listed(...flags: readonly string[]): Promise<string> {
  await using fixture = await createFixture(SUITE)
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  await list.run(['--root', fixture.path, ...flags])
  vi.restoreAllMocks()
  return written.join('')
}

interface ListedCase {
  readonly name: string
  readonly kind: string
  readonly runs: number
  readonly prompt: string
  readonly expects: readonly { readonly text: string; readonly by: string }[]
}

test('list shows each case with its arms, runs and graders', async () => {
  const { cases } = JSON.parse(await listed('--json')) as { readonly cases: readonly ListedCase[] }
  expect(cases.map(({ name, kind, runs }) => `${name}: ${kind}, ${runs} runs`).toSorted()).toEqual([
    'bye: plugin-eval, 3 runs',
    'hello (without_skill): plugin-eval, 2 runs',
    'hello: plugin-eval, 2 runs',
  ])
  expect(cases.find(({ name }) => name === 'hello')).toMatchObject({
    prompt: 'Say hello.',
    expects: [
      { text: 'It is polite.', by: 'judge' },
      { text: 'The last message matches /hello/i.', by: 'check' },
    ],
  })
})

test('list --explain shows the prompts, and the author’s own sentences', async () => {
  const text = await listed('--explain')
  for (const part of ['Say hello.', 'It is polite.', 'Say bye.', 'Skill is not called.']) expect(text).toContain(part)
})

test('lint finds the scenarios that no case plays, also in the folders of groups', async () => {
  const turns = 'turns:\n  - text: Hello\n'
  await using fixture = await createFixture({
    ...SUITE,
    'evals/scenarios/hello.yaml': turns,
    'evals/scenarios/hello.without_skill.yaml': turns,
    'evals/scenarios/group/bye.yaml': turns,
    'evals/scenarios/group/bye.codex.2.yaml': turns,
    'evals/scenarios/group/hello.yaml': turns,
    'evals/scenarios/other/bye.yaml': 'turns: 1\n',
  })
  const { issues } = await findIssues(await loadSuites(fixture.path.replace(/\/$/, '')))
  expect(issues.map(({ file, code }) => `${file.slice(file.indexOf('/evals/') + 1)} ${code}`)).toEqual([
    'evals/scenarios/group/hello.yaml scenario-without-case',
    'evals/scenarios/other/bye.yaml scenario-without-case',
    'evals/scenarios/other/bye.yaml wrong-type',
  ])
})

test.for([
  ['--runs 2', { AGENT_EVALS_RUNS: '2' }],
  ['--threshold 0.5', { AGENT_EVALS_THRESHOLD: '0.5' }],
  ['--tag smoke', { AGENT_EVALS_TAG: 'smoke' }],
  ['--tag smoke --tag slow', { AGENT_EVALS_TAG: 'smoke,slow' }],
  ['--case hel*', { AGENT_EVALS_CASE: 'hel*' }],
  ['--max-cost-usd 3', { AGENT_EVALS_MAX_COST_USD: '3' }],
  ['--ablation with-without', { AGENT_EVALS_ABLATION: 'with-without' }],
  ['--judge-model haiku', { AGENT_EVALS_JUDGE_MODEL: 'haiku' }],
] as const)('run understands the option %s of claude plugin eval', ([line, environment]) => {
  expect(readRunArguments(line.split(' '), '/work')).toEqual({ environment, rest: [], test: null, yes: false })
})
