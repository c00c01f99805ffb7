// @module-tag claude-code
// @module-tag slow
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject, outcomes } from '../support/durable-project.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from '../support/messages-server.ts'
import { agreeing } from '../support/package-run.ts'
import type { Report } from '../../src/report/report.ts'

const FILE = `import { expect, test } from 'vitest-agent-evals/test'

test('greets', async ({ agent }) => {
  const run = await agent.run('Greet.')
  expect(run).toContainOutput('done')
  await expect(run).toPassJudge('It greets.')
})
test('goes on', async ({ agent }) => {
  const draft = await agent.run('Draft.')
  expect(await agent.continue(draft, 'Go on.')).toContainOutput('done')
})
test('fails', async ({ agent }) => {
  expect(await agent.run('Fail.')).toHaveCreatedFile('absent.txt')
})
test('sleeps', async ({ agent }) => {
  expect(await agent.run('Sleep.')).toContainOutput('done')
})
`
const OTHER = `import { expect, test } from 'vitest-agent-evals/test'

test('is elsewhere', async ({ agent }) => {
  expect(await agent.run('Else.')).toContainOutput('done')
})
`

test(
  'tests in TypeScript outlive a kill, and are taken over without a request',
  { tags: ['claude-code'], timeout: 600_000 },
  async () => {
    let isSlow = true
    const sleep: Turn = { tools: [{ name: 'Bash', input: { command: 'sleep 4321', timeout: 600_000 } }] }
    const answer = (request: ReceivedRequest): Turn => {
      if (isSlow && request.index === 0 && JSON.stringify(request.body.messages).includes('Sleep.')) return sleep
      return { text: 'done' }
    }
    await using upstream = await startMessagesServer((request) => agreeing(request, 'done') ?? answer(request))
    await using durable = await durableProject(
      repositoryVitest(),
      {},
      { files: { 'evals/hand.eval.ts': FILE, 'evals/other.eval.ts': OTHER } },
    )
    const live = {
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
      ANTHROPIC_BASE_URL: upstream.url,
      ANTHROPIC_API_KEY: 'sk-real-1234567890',
    }
    const killed = durable.start(['evals/hand.eval.ts'], live)
    await durable.working(killed, 1)
    process.kill(killed.pid, 'SIGKILL')
    await killed.finished

    const next = await durable.start(['evals/other.eval.ts'], live).finished
    expect(next.all).toContain('agent-evals: recovered the results of a killed run')
    const [recovered, other] = await durable.reports()
    expect(recovered?.status).toBe('recovered')
    expect(outcomes(recovered!)).toEqual(['greets PASS', 'goes on PASS', 'fails FAIL', 'sleeps ERROR interrupted'])
    expect(outcomes(other!)).toEqual(['is elsewhere PASS'])

    isSlow = false
    const runs = join(durable.project.root, '.vitest/agent-evals')
    // Each begins where the killed run ended: one that has finished leaves nothing to resume.
    const resume = async (): Promise<readonly string[]> => {
      const before = upstream.requests.length
      const known = new Set(await readdir(runs))
      const { all } = await durable.start(['evals/hand.eval.ts'], { ...live, AGENT_EVALS_RESUME: '1' }).finished
      const report = (await durable.reports()).at(-1)
      if (report === undefined) throw new Error(all)
      const own = (await readdir(runs)).find((name) => !known.has(name))
      if (own !== undefined) await rm(join(runs, own), { recursive: true })
      return [...report.cases.map(reused), `${upstream.requests.length - before} requests`]
    }
    expect(await resume()).toEqual([
      'greets PASS reused',
      'goes on PASS reused',
      'fails FAIL reused',
      'sleeps PASS',
      '1 requests',
    ])

    // The runs are taken over, and not what the tests have made of them.
    const edited = FILE.replace("toContainOutput('done')", "toContainOutput('Goodbye')").replace('Draft.', 'Plan.')
    await durable.project.files.writeFile('evals/hand.eval.ts', edited)
    expect(await resume()).toEqual([
      'greets FAIL reused',
      'goes on PASS',
      'fails FAIL reused',
      'sleeps PASS',
      '3 requests',
    ])

    // A session that was live, is in no recording and whose workspace is gone cannot be told anything else.
    await durable.project.files.writeFile('evals/hand.eval.ts', FILE.replace('Go on.', 'Go back.'))
    expect((await resume())[1]).toBe('goes on ERROR not-replayable reused')
    await durable.project.files.writeFile('evals/hand.eval.ts', edited)
  },
)

test(
  'what a judge says anew of a run that was taken over is recorded with it',
  { tags: ['claude-code'], timeout: 600_000 },
  async () => {
    await using upstream = await startMessagesServer((request) => agreeing(request, 'done') ?? { text: 'done' })
    await using durable = await durableProject(
      repositoryVitest(),
      {},
      // A file that cannot be read leaves every run unfinished.
      { files: { 'evals/hand.eval.ts': judgedBy('It greets.'), 'evals/cases/broken.yaml': 'name: broken\n' } },
    )
    const run = async (source: string): Promise<readonly string[]> => {
      const before = upstream.requests.length
      const { all } = await durable.start([], {
        AGENT_EVALS_SOURCE: source,
        AGENT_EVALS_RESUME: '1',
        AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
        ANTHROPIC_BASE_URL: upstream.url,
        ANTHROPIC_API_KEY: 'sk-real-1234567890',
      }).finished
      const report = (await durable.reports()).at(-1)
      if (report === undefined) throw new Error(all)
      const tests = report.cases.filter(({ name }) => name === 'greets')
      return [...tests.map(reused), `${upstream.requests.length - before} requests`]
    }
    // The agent, what its judge asks of the statement before it sees a run, and the verdict.
    expect(await run('record')).toEqual(['greets PASS', '3 requests'])
    await durable.project.files.writeFile('evals/hand.eval.ts', judgedBy('It greets.', 'It is short.'))
    expect(await run('record')).toEqual(['greets PASS reused', '2 requests'])
    expect(await run('replay')).toEqual(['greets PASS', '0 requests'])
  },
)

function judgedBy(...criteria: readonly string[]): string {
  const asked = criteria.map((one) => `  await expect(run).toPassJudge('${one}')\n`).join('')
  return `import { expect, test } from 'vitest-agent-evals/test'

test('greets', async ({ agent }) => {
  const run = await agent.run('Greet.')
${asked}})
`
}

function reused({ name, verdict, error_code: code, reused_from: from }: Report['cases'][number]): string {
  return [name, verdict, ...(code === null ? [] : [code]), ...(from === null ? [] : ['reused'])].join(' ')
}
