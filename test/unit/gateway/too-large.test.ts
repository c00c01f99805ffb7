import { expect, onTestFinished, test } from 'vitest'
import { acquireLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { answerAll } from '../../support/api-answers.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel, sayHello } from '../../support/model-client.ts'
import { startRawUpstream } from '../../support/raw-upstream.ts'

const MIB = 1024 * 1024
const BEFORE = 'An earlier request of this session, or its answer, was too large.'

async function openGateway() {
  const upstream = await startRawUpstream((request) =>
    request.body.includes('Endless')
      ? { type: 'text/event-stream', body: Array.from({ length: 10 }, () => 'x'.repeat(MIB)) }
      : answerAll(request),
  )
  const gateway = await startGateway({
    maxCostUsd: 10,
    concurrency: null,
    environment: { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'sk-real-1234567890' },
  })
  onTestFinished(async () => {
    await gateway.close()
    await upstream[Symbol.asyncDispose]()
  })
  const open = () => acquireLease(gateway.controlSocket, askFor({ kind: 'live' }), new AbortController().signal)
  return { upstream, open }
}

test('a session whose answer was too large gets no other, and the next session does', async () => {
  const { upstream, open } = await openGateway()
  const lease = await open()
  await callModel(lease.grant, { body: sayHello('Endless') }).catch(() => null)
  const reply = await callModel(lease.grant, { body: sayHello('Again') })
  expect([reply.status, upstream.requests.length]).toEqual([413, 1])
  expect(reply.body).toContain(BEFORE)
  const { problems } = await lease.meter()
  expect(problems.map(({ code }) => code)).toEqual(['upstream-failed'])
  const other = await open()
  expect((await callModel(other.grant, { body: sayHello('Hello?') })).status).toBe(200)
})

test('a session that sent too much is refused from then on, and its bodies are not read', async () => {
  const { upstream, open } = await openGateway()
  const lease = await open()
  const large = await callModel(lease.grant, { body: sayHello('one two '.repeat(MIB / 2 + 1)) })
  const reply = await callModel(lease.grant, { body: sayHello('Hello?') })
  expect([large.status, reply.status, upstream.requests.length]).toEqual([413, 413, 0])
  expect(reply.body).toContain(BEFORE)
})
