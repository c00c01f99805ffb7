// @module-tag claude-code
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { config, greetings, PACKAGE, readReport, readReports, saying, verdicts } from '../support/eval-project.ts'

const major = repositoryVitest()

const OWN = `import { expect, test as plain } from 'vitest'
import { test } from 'vitest-agent-evals/test'

plain('adds', () => expect(1 + 1).toBe(2))
test('greets', { timeout: 0 }, async ({ agent }) => {
  const run = await agent.run('Say hello.')
  expect(run).toContainOutput('Hello')
  await expect(run).toPassJudge('It greets.')
})
test('paid', { timeout: 0 }, async ({ agent }) => {
  await agent.run('Say something.')
})
`
const TWO = "{ projects: [{ extends: true, test: { name: 'own', include: ['test/**/*.test.ts'] } }] }"

describe("tests of the user's own project", { tags: ['claude-code'] }, () => {
  test('run agents from what is recorded, and are in the report', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      ...greetings({ free: 'Hello' }),
      'test/own.test.ts': OWN,
      'evals/scenarios/greets.yaml': saying('Hello, World'),
    })
    const { all, exitCode } = await project.run(['run'], {
      merged: true,
      env: { ANTHROPIC_API_KEY: 'sk-ant-not-to-be-used', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
    })
    expect(exitCode).toBe(0)
    expect(all).toContain('agent-evals: 1 case in 1 file not run; npx vitest --project evals')
    const report = await readReport(project)
    expect(verdicts(report)).toEqual(['greets PASS', 'paid SKIP'])
    expect(report.cases.at(-1)?.skip_reason).toMatch(
      /tests of your own project only replay unless a flag says otherwise\. Run it live: npx vitest-agent-evals run --record/,
    )
    expect(report.cases.map(({ id }) => id)).toEqual(['test/own.test.ts#greets', 'test/own.test.ts#paid'])
  })
})

test('is one report with the evals that run beside it, and needs the plugin', { tags: ['claude-code'] }, async () => {
  await using project = await createProject(major, {
    ...PACKAGE,
    ...greetings({ free: 'Hello' }),
    'vitest.config.ts': config("{ sandbox: 'prefer' }", `test: ${TWO}`),
    'without.config.ts': "export default { test: { include: ['test/**/*.test.ts'] } }\n",
    'test/own.test.ts': OWN,
    'evals/scenarios/greets.yaml': saying('Hello, World'),
  })
  const { exitCode } = await project.run(['run', '--project', 'evals', '--project', 'own'])
  expect(exitCode).toBe(0)
  expect((await readReports(project)).map(verdicts)).toEqual([['free PASS', 'greets PASS', 'paid SKIP']])

  const { all } = await project.run(['run', '--config', 'without.config.ts'], { merged: true })
  expect(all).toContain(
    'AgentEvalsError: The fixture `agent` needs the plugin. Add agentEvals() to `plugins` of vitest.config.ts.',
  )
})
