import { expect, onTestFinished, test } from 'vitest'
import { acquireLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { answerAll } from '../../support/api-answers.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel, sayHello } from '../../support/model-client.ts'
import { startRawUpstream } from '../../support/raw-upstream.ts'

const MIB = 1024 * 1024

async function openGateway() {
  const upstream = await startRawUpstream((request) =>
    request.body.includes('Endless') ? { type: 'text/event-stream', body: manyLines() } : answerAll(request),
  )
  const gateway = await startGateway({
    maxCostUsd: 1000,
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

function* manyLines(): Generator<string> {
  for (let n = 0; n < 40; n += 1) yield `: ${'x'.repeat(MIB)}\n\n`
}

test('an answer of more than 32 MiB is none of a model, and costs its own session alone', async () => {
  const { open } = await openGateway()
  const [lease, other] = [await open(), await open()]
  await callModel(lease.grant, { body: sayHello('Endless') }).catch(() => null)
  expect((await lease.meter()).problems).toMatchObject([
    { code: 'upstream-failed', message: expect.stringContaining('it is larger than 32 MiB') as string },
  ])
  expect((await callModel(other.grant, { body: sayHello('Hello?') })).status).toBe(200)
})

test('a request of more than 32 MiB is refused', async () => {
  const { upstream, open } = await openGateway()
  const lease = await open()
  const large = await callModel(lease.grant, { body: sayHello('one two '.repeat(4 * MIB)) })
  expect([large.status, upstream.requests.length]).toEqual([413, 0])
  expect((await lease.meter()).problems).toEqual([
    {
      code: 'unexpected-request',
      message: 'The session sent a request of more than 32 MiB, which is more than an API takes.',
    },
  ])
})
