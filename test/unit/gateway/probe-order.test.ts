import { expect, test } from 'vitest'
import { sendProbe } from '../../../src/agent/first-turn/send-probe.ts'
import { acquireLease, type AcquiredLease } from '../../../src/gateway/client.ts'
import { startGateway, type Gateway } from '../../../src/gateway/gateway.ts'
import { askFor } from '../../support/gateway.ts'
import { startUpstream } from '../../support/upstream.ts'

const { signal } = new AbortController()
const BODY = JSON.stringify({
  model: 'claude-opus-5-5',
  max_tokens: 10,
  stream: true,
  messages: [{ role: 'user', content: 'Hi' }],
})

function gatewayTo(url: string): Promise<Gateway> {
  const environment = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-api03-real' }
  return startGateway({ concurrency: 1, maxCostUsd: 1000, environment })
}

/** A lease of a probe, by what its request shares with others. */
function open({ controlSocket }: Gateway, cached: string, order: string[], name: string): Promise<AcquiredLease> {
  const asked = { ...askFor({ kind: 'live' }), firstTurn: 'probe' as const, cached }
  return acquireLease(controlSocket, asked, signal).then((lease) => {
    order.push(name)
    return lease
  })
}

test('probes that share a cache wait for the first answer to begin, those of other suites too', async () => {
  let goOn = (): void => {}
  const goesOn = new Promise<void>((resolve) => {
    goOn = resolve
  })
  await using upstream = await startUpstream([{ stream: 'Hello', rest: '.', goesOn }])
  const gateway = await gatewayTo(upstream.url)
  const order: string[] = []
  const first = await open(gateway, 'one', order, 'first')
  const others = ['second', 'third'].map((name) => open(gateway, 'one', order, name))
  const stranger = await open(gateway, 'another', order, 'stranger')
  expect(order).toEqual(['first', 'stranger'])
  const reply = sendProbe(first.grant, { path: '/v1/messages', headers: {}, body: BODY, thread: 'main' }, signal)
  // The answer has begun and is not over.
  const leases = await Promise.all(others)
  expect(order.toSorted()).toEqual(['first', 'second', 'stranger', 'third'])
  goOn()
  expect((await reply)?.status).toBe(200)
  await Promise.all([first, stranger, ...leases].map((lease) => lease.release()))
  await gateway.close()
})

test('a probe without an answer lets the next one lead', async () => {
  await using upstream = await startUpstream([{ status: 400, message: 'no' }])
  const gateway = await gatewayTo(upstream.url)
  const order: string[] = []
  const first = await open(gateway, 'one', order, 'first')
  const others = ['second', 'third'].map((name) => open(gateway, 'one', order, name))
  await sendProbe(first.grant, { path: '/v1/messages', headers: {}, body: BODY, thread: 'main' }, signal)
  await first.finish(false)
  const second = await Promise.race(others)
  expect(order).toHaveLength(2)
  await second.release()
  await Promise.all(others)
  expect(order).toHaveLength(3)
  await gateway.close()
})
