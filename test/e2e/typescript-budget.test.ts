// @module-tag no-engine
// @module-tag slow
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ASKS, ASKS_ENGINE, startChatApi, writeAskingProgram } from '../support/asking-engine.ts'
import { config, readReports, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { startMessagesServer } from '../support/messages-server.ts'
import { agreeing } from '../support/package-run.ts'
import { createProject } from '../support/project.ts'

const FILE = `import { expect, test } from 'vitest-agent-evals/test'

test('greets', async ({ agent }) => {
  const run = await agent.run('Greet.')
  expect(run).toContainOutput('hello')
  await expect(run).toPassJudge('It greets.')
})
`

// The agent costs next to nothing; a judge that has to be asked twice costs more than there is.
const PRICES = { 'gpt-4.1-mini': { input: 0.01, output: 0.01 }, 'claude-opus-4-5': { input: 10, output: 150 } }

test('a judge of a test in TypeScript that cannot be paid leaves a run that is kept', async () => {
  let isUsable = false
  await using upstream = await startMessagesServer((request) => {
    const asked = agreeing(request, 'hello')
    const isAboutKinds = JSON.stringify(request.body).includes('Now say what each of')
    return isUsable || isAboutKinds ? (asked ?? { text: 'none' }) : { text: 'no verdict', outputTokens: 10_000 }
  })
  await using api = await startChatApi()
  const options = `{ sandbox: 'none', engines: ${ASKS_ENGINE}, judge: 'claude-opus-4-5', prices: ${JSON.stringify(PRICES)} }`
  await using project = await createProject(repositoryVitest(), {
    'vitest.config.ts': config(options),
    'package.agent.json': '{ "name": "sample", "version": "1.0.0" }',
    'evals/greets.eval.ts': FILE,
    ...ASKS,
  })
  await writeAskingProgram(project)
  const { AGENT_EVALS_JUDGE: _, ...ofAgent } = api.env
  const env = { ...ofAgent, ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-real-1234567890' }
  const run = async (...flags: readonly string[]): ReturnType<typeof project.agentEvals> =>
    project.agentEvals(['run', '--live', ...flags], { env, merged: true })
  const last = async (): Promise<Awaited<ReturnType<typeof readReports>>[number]> => {
    const report = (await readReports(project)).at(-1)
    if (report === undefined) throw new Error('There is no report.')
    return report
  }

  const unpaid = await run('--max-cost-usd', '1.5')
  const report = await last()
  expect(verdicts(report), unpaid.all).toEqual(['greets ERROR judge-not-paid'])
  expect(unpaid.all).toContain('The run is kept: run this test with --resume, which asks only its judge.')
  const [kept] = report.cases[0]?.runs ?? []
  expect(kept).toMatchObject({ status: 'completed', requests: 1 })
  expect(await readdir(join(project.root, kept?.folder ?? ''))).toContain('transcript.jsonl')
  expect(api.asked).toHaveLength(1)

  isUsable = true
  const resumed = await run('--max-cost-usd', '5', '--resume')
  expect(verdicts(await last()), resumed.all).toEqual(['greets PASS'])
  expect(api.asked).toHaveLength(1)
})
