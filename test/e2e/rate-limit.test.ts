// @module-tag claude-code
// @module-tag codex
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { startModelApis } from '../support/model-apis.ts'
import { codexFolder } from '../support/other-engines.ts'
import { verdicts } from '../support/eval-project.ts'
import { startMessagesServer } from '../support/messages-server.ts'
import { agreeing, createPackage, describeEvals, runEvals } from '../support/package-run.ts'

const SESSIONS = 32
const PER_SECOND = 8
const KEY = 'sk-real-1234567890'

describeEvals('real sessions', () => {
  test('lose nothing to an API that takes three requests a second, their judges included', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `case-${String(index).padStart(2, '0')}`)
    const isTooFast = limitTo(3)
    let refused = 0
    await using api = await startMessagesServer((request) => {
      if (!isTooFast()) return agreeing(request, 'done') ?? { text: 'done' }
      refused += 1
      return { error: { status: 429, message: 'Too many requests' } }
    })
    await using project = await createPackage({
      cases: Object.fromEntries(names.map((name) => [name, { expected: { contains: ['done'] } }])),
      workers: 'default',
    })
    const run = await runEvals(project, {
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: KEY,
    })
    expect(verdicts(run.report)).toEqual(names.map((name) => `${name} PASS`))
    // An API that answers within milliseconds refuses what comes before its second is over.
    expect(refused).toBeLessThan(2 * (api.requests.length - refused))
  })
})

describe('real sessions of Codex', { tags: ['codex'] }, () => {
  // Claude Code would take a second of computing for each of them, Codex takes less than half of one.
  test(`${SESSIONS} at once, of five requests each, lose nothing to an API of ${PER_SECOND} a second`, async () => {
    const call = { name: 'exec_command', input: { cmd: 'echo on' } }
    await using apis = await startModelApis(() => [call, call, call, call, 'done'], { isTooFast: limitTo(PER_SECOND) })
    await using project = await createPackage({
      cases: {},
      options: `{ sandbox: 'prefer', concurrency: ${SESSIONS} }`,
      files: { 'evals/many.eval.ts': MANY },
    })
    const run = await runEvals(project, {
      AGENT_EVALS_ENGINE: 'codex',
      AGENT_EVALS_ENGINES: await codexFolder(),
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_MODEL: 'gpt-5.5',
      OPENAI_BASE_URL: `${apis.url}/v1`,
      OPENAI_API_KEY: KEY,
    })
    expect(run.report.summary, run.finished.all).toMatchObject({ total: SESSIONS, passed: SESSIONS })
    expect(run.report.cases.map(({ runs }) => runs[0]?.requests)).toEqual(Array.from({ length: SESSIONS }, () => 5))
    expect(apis.requests).toHaveLength(5 * SESSIONS + apis.refused)
    // An API that answers within milliseconds refuses what comes before its second is over.
    expect(apis.refused).toBeLessThan(5 * SESSIONS)
  })
})

const MANY = `import { expect, test } from 'vitest-agent-evals/test'

for (let n = 0; n < ${SESSIONS}; n += 1)
  test.concurrent('session ' + n, async ({ agent }) => {
    expect(await agent.run('Go.')).toContainOutput('done')
  })
`

/** Tells whether one more request is more than so many within a second; one that is does not count. */
function limitTo(perSecond: number): () => boolean {
  let taken: readonly number[] = []
  return () => {
    const now = performance.now()
    taken = taken.filter((time) => now - time < 1000)
    if (taken.length >= perSecond) return true
    taken = [...taken, now]
    return false
  }
}
