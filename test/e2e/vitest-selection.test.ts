// @module-tag claude-code
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import {
  CONFIG,
  greeting,
  greetings,
  PACKAGE,
  readReport,
  readReports,
  saying,
  verdicts,
} from '../support/eval-project.ts'
import type { FinishedProcess } from '../support/running-process.ts'
import { SHELL_PACKAGE, shellCases, shellConfig } from '../support/shell-engine.ts'

const major = repositoryVitest()

describe('cases are selected', () => {
  test('by file, line and name, and the report holds only what was selected', async () => {
    const fruits = shellCases({ apple: 'echo Hello', banana: 'echo Hello', pear: 'echo Hello' })
    await using project = await createProject(major, {
      ...SHELL_PACKAGE,
      ...fruits,
      'evals/cases/pear.yaml': `# A pear\n\n${fruits['evals/cases/pear.yaml'] as string}`,
    })
    const both = ['evals/cases/apple.yaml', 'evals/cases/pear.yaml:3']
    expect(await selected(project, both)).toEqual(['apple PASS', 'pear PASS'])
    expect(await selected(project, ['--project', 'evals', '-t', 'an'])).toEqual(['banana PASS'])

    const { exitCode, all } = await project.run(['run', '--project', 'evals', '-t', 'cherry'])
    expect(exitCode).toBe(1)
    expect(all).toContain('agent-evals: no case was selected, failing the run')
    expect(await readReports(project)).toHaveLength(0)
  })

  test('and listed at the place where they are written', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      'evals/cases/apple.yaml': greeting('apple'),
      'evals/cases/pear.yaml': `# A pear\n\n${greeting('pear')}`,
    })
    const { stdout, exitCode } = await project.run(['list', '--json', '--project', 'evals'])
    expect(exitCode).toBe(0)
    const listed = JSON.parse(stdout) as { name: string; file: string; location: { line: number } }[]
    expect(listed.map(({ name, file, location }) => `${file}:${location.line} ${name}`).toSorted()).toEqual([
      '<root>/evals/cases/apple.yaml:1 apple',
      '<root>/evals/cases/pear.yaml:3 pear',
    ])
    expect((await project.run(['list', '--filesOnly', '--project', 'evals'])).stdout.split('\n').toSorted()).toEqual([
      '[evals] evals/cases/apple.yaml',
      '[evals] evals/cases/pear.yaml',
    ])
  })

  test('tests in TypeScript have tags, and no target, category or query', { tags: ['slow'] }, async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      'vitest.config.ts': shellConfig({}, "test: { tags: [{ name: 'slow' }] }"),
      ...shellCases({ apple: 'echo Hello' }),
      'free.eval.ts': `import { describe, test } from 'vitest-agent-evals/test'
describe('block', { tags: ['slow'] }, () => void test('tagged', () => {}))
test('plain', () => {})
`,
    })
    const runs = async (env: Record<string, string>): Promise<readonly string[]> => {
      const { exitCode, all } = await project.run(['run', '--project', 'evals', '--reporter', 'verbose'], { env })
      const passed = ['apple', 'plain', 'tagged'].filter((name) => new RegExp(`✓.* ${name}\\b`).test(all))
      const missed = /No case has [^\]\n]*|no case was selected/.exec(all)?.[0]
      return [String(exitCode), ...passed, ...(missed === undefined ? [] : [missed])]
    }
    expect(await runs({ AGENT_EVALS_TAG: 'slow' })).toEqual(['0', 'tagged'])
    expect(await runs({ AGENT_EVALS_KIND: 'artifact' })).toEqual(['0', 'apple', 'plain', 'tagged'])
    expect(await runs({ AGENT_EVALS_KIND: 'trigger' })).toEqual(['1', 'no case was selected'])
    const unknown = 'No case has the tag "slwo". Did you mean "slow"?'
    expect(await runs({ AGENT_EVALS_TAG: 'slwo' })).toEqual(['1', unknown])
    expect(await runs({ AGENT_EVALS_TARGET: 'skill:apple' })).toEqual(['1', 'No case has the target "skill:apple".'])
    const { exitCode, all } = await project.agentEvals(['run', '--tag', 'slwo'])
    expect([exitCode, all]).toEqual([2, expect.stringContaining(unknown)])
  })

  test('an editor shows the cases, and plays only what costs nothing', async () => {
    await using project = await createProject(major, {
      'vitest.config.ts': CONFIG,
      'package.agent.json': PACKAGE['package.agent.json'] ?? '',
      'evals/cases/free.yaml': greeting('free'),
      'evals/scenarios/free.yaml': saying('Hello'),
      'evals/cases/paid.yaml': greeting('paid'),
      'unit.test.ts': "import { test } from 'vitest'\ntest('unit', () => {})\n",
    })
    const env = {
      VITEST_VSCODE: 'true',
      ANTHROPIC_API_KEY: 'sk-ant-not-to-be-used',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    }
    const { exitCode, all } = await project.run(['run', '--reporter', 'verbose'], { env })
    expect(exitCode).toBe(0)
    expect(all).toMatch(/✓ \|evals\| evals\/cases\/free\.yaml\S+ > free/)
    expect(all).toMatch(/↓ \|evals\| evals\/cases\/paid\.yaml\S+ > paid .*runs from an editor only replay/)
    expect(verdicts(await readReport(project))).toEqual(['free PASS', 'paid SKIP'])
  })
})

// Decided by the plugin alone, before a test starts.
describe('cases are selected on every Vitest', () => {
  test('by target; a dry run says what would run, starts nothing and leaves nothing', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      'hooks/hooks.json': JSON.stringify({
        version: 1,
        hooks: { 'session-start': [{ hooks: [{ type: 'command', command: 'true' }] }] },
      }),
      ...greetings({ hook: 'Hello', other: 'Hello' }),
      'evals/cases/hook.yaml': greeting('hook', 'target: hook:session-start\n'),
    })
    const run = (target: string, more: Readonly<Record<string, string>> = {}): Promise<FinishedProcess> =>
      project.run(['run', '--project', 'evals'], { env: { AGENT_EVALS_TARGET: target, ...more } })
    const { exitCode, stderr } = await run('hook:session-start', { AGENT_EVALS_DRY_RUN: '1' })
    expect(exitCode).toBe(0)
    expect(stderr).toBe('evals/cases/hook.yaml:1  hook  dry run: claude-code, answered by scenario')
    expect(await project.files.exists('evals/reports')).toBe(false)
    expect(await project.files.exists('.vitest')).toBe(false)

    const absent = await run('skill:none')
    expect(absent.exitCode).toBe(1)
    expect(absent.all).toContain('No case has the target "skill:none". Targets: hook:session-start.')

    const wrong = await run('none')
    expect(wrong.exitCode).toBe(1)
    expect(wrong.all).toContain('AGENT_EVALS_TARGET is "none": expected skill:<name>, hook:<event> or agent:<name>.')
  })
})

/** Runs Vitest green and says what its report holds, which is removed. */
async function selected(project: TestProject, args: readonly string[]): Promise<readonly string[]> {
  const { exitCode, all } = await project.run(['run', ...args])
  expect(exitCode, all).toBe(0)
  const report = await readReport(project)
  await project.files.rm('evals/reports')
  return verdicts(report)
}
