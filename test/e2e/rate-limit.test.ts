import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { acquireLease } from '../../src/gateway/client.ts'
import { startGateway } from '../../src/gateway/gateway.ts'
import { askFor } from '../support/gateway.ts'
import { startModelApis } from '../support/model-apis.ts'
import { callModel } from '../support/model-client.ts'
import { codexFolder } from '../support/other-engines.ts'
import { verdicts } from './eval-project.ts'
import { startMessagesServer } from './messages-server.ts'
import { agreeing, createPackage, describeEvals, runEvals } from './package-run.ts'

const SESSIONS = 48
const PER_SECOND = 12
const KEY = 'sk-real-1234567890'

interface LimitedApi extends AsyncDisposable {
  readonly url: string
  readonly answered: number
  readonly refused: number
}

test(`${SESSIONS} sessions of five requests lose none of them to an API of ${PER_SECOND} a second`, async () => {
  await using api = await startLimitedApi(PER_SECOND)
  const environment = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: KEY }
  const gateway = await startGateway({ maxCostUsd: 10, concurrency: SESSIONS, environment })
  try {
    const statuses = await Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        const lease = await acquireLease(gateway.controlSocket, askFor({ kind: 'live' }), new AbortController().signal)
        const seen: number[] = []
        for (let request = 0; request < 5; request++) seen.push((await callModel(lease.grant)).status)
        await lease.release()
        return seen
      }),
    )
    expect(statuses).toEqual(statuses.map(() => [200, 200, 200, 200, 200]))
    expect(api.answered).toBe(5 * SESSIONS)
    expect(api.refused).toBeLessThanOrEqual(30)
  } finally {
    await gateway.close()
  }
})

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
    })
    const run = await runEvals(project, {
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: KEY,
    })
    expect(verdicts(run.report)).toEqual(names.map((name) => `${name} PASS`))
    expect(refused).toBeLessThanOrEqual(30)
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
      OPENAI_BASE_URL: `${apis.url}/v1`,
      OPENAI_API_KEY: KEY,
    })
    expect(run.report.summary, run.finished.all).toMatchObject({ total: SESSIONS, passed: SESSIONS })
    expect(run.report.cases.map(({ runs }) => runs[0]?.requests)).toEqual(Array.from({ length: SESSIONS }, () => 5))
    expect(apis.requests).toHaveLength(5 * SESSIONS + apis.refused)
    expect(apis.refused).toBeLessThanOrEqual(30)
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

/** A Messages API that takes so many requests in any second, and refuses the rest as the real one does. */
async function startLimitedApi(perSecond: number): Promise<LimitedApi> {
  let answered = 0
  let refused = 0
  const isTooFast = limitTo(perSecond)
  const server = createServer((request, response) => {
    void text(request).then(() => {
      if (isTooFast()) {
        refused += 1
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
        return response.end('{"type":"error","error":{"type":"rate_limit_error","message":"Too many requests"}}')
      }
      answered += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.end(ANSWER)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get answered() {
      return answered
    },
    get refused() {
      return refused
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [],
  stop_reason: null,
  usage: { input_tokens: 10, output_tokens: 1 },
}
const ANSWER = [
  { type: 'message_start', message: MESSAGE },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'done' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')
