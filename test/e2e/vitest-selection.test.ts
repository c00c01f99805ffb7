// @module-tag claude-code
import { describe, expect, test } from 'vitest'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { repositoryVitest, vitestMajors } from '../support/majors.ts'
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

describeOnMajors(await vitestMajors(), 'cases are selected on $label', { smoke: true }, (major) => {
  test('by file, line and name, and the report holds only what was selected', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      ...greetings({ apple: 'Hello', banana: 'Hello', pear: 'Hello' }),
      'evals/cases/pear.yaml': `# A pear\n\n${greeting('pear')}`,
    })
    expect(await selected(project, ['evals/cases/apple.yaml'])).toEqual(['apple PASS'])
    expect(await selected(project, ['evals/cases/pear.yaml:3'])).toEqual(['pear PASS'])
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
  const major = repositoryVitest()

  test('by target', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      'hooks/hooks.json': JSON.stringify({
        version: 1,
        hooks: { 'session-start': [{ hooks: [{ type: 'command', command: 'true' }] }] },
      }),
      ...greetings({ hook: 'Hello', other: 'Hello' }),
      'evals/cases/hook.yaml': greeting('hook', 'target: hook:session-start\n'),
    })
    const target = { AGENT_EVALS_TARGET: 'hook:session-start' }
    expect(await selected(project, ['--project', 'evals'], target)).toEqual(['hook PASS'])

    const absent = await project.run(['run', '--project', 'evals'], { env: { AGENT_EVALS_TARGET: 'skill:none' } })
    expect(absent.exitCode).toBe(1)
    expect(absent.all).toContain('agent-evals: no case was selected, failing the run')

    const wrong = await project.run(['run', '--project', 'evals'], { env: { AGENT_EVALS_TARGET: 'none' } })
    expect(wrong.exitCode).toBe(1)
    expect(wrong.all).toContain('AGENT_EVALS_TARGET is "none": expected skill:<name>, hook:<event> or agent:<name>.')
  })

  test('a dry run says what would run, starts nothing and leaves nothing', async () => {
    await using project = await createProject(major, { ...PACKAGE, ...greetings({ apple: 'Hello' }) })
    const env = { AGENT_EVALS_DRY_RUN: '1' }
    const { exitCode, stderr } = await project.run(['run', '--project', 'evals'], { env })
    expect(exitCode).toBe(0)
    expect(stderr).toBe('evals/cases/apple.yaml:1  apple  dry run: claude-code, answered by scenario')
    expect(await project.files.exists('evals/reports')).toBe(false)
    expect(await project.files.exists('.vitest')).toBe(false)
  })
})

/** Runs Vitest green and says what its report holds, which is removed. */
async function selected(
  project: TestProject,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<readonly string[]> {
  const { exitCode, all } = await project.run(['run', ...args], { env })
  expect(exitCode, all).toBe(0)
  const report = await readReport(project)
  await project.files.rm('evals/reports')
  return verdicts(report)
}
