import { expect, test } from 'vitest'
import { sendProbe } from '../../../src/session/first-turn/probe.ts'
import { acquireLease, type AcquiredLease } from '../../../src/gateway/control/client.ts'
import { startGateway, type Gateway } from '../../../src/gateway/gateway.ts'
import { cachedPart, type FirstRequest } from '../../../src/gateway/first-turn/first-turn.ts'
import { askFor } from '../../support/gateway.ts'
import { startScriptedModel, words } from '../../support/scripted-model.ts'
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
  await first.finish()
  const second = await Promise.race(others)
  expect(order).toHaveLength(2)
  await second.release()
  await Promise.all(others)
  expect(order).toHaveLength(3)
  await gateway.close()
})

test('probes and sessions of one beginning fill the cache of an API once, whoever comes first', async () => {
  await using model = await startScriptedModel({
    scriptOf: () => () => words('Done.'),
    latency: { begins: 30, ends: 60 },
  })
  const gateway = await startGateway({
    concurrency: 8,
    maxCostUsd: 1000,
    environment: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-api03-real' },
  })
  const first = (prompt: string): FirstRequest => ({
    path: '/v1/messages',
    headers: {},
    body: JSON.stringify({
      ...JSON.parse(BODY),
      system: 'Be good. '.repeat(500),
      messages: [{ role: 'user', content: prompt }],
    }),
    thread: 'main',
  })
  const session = async (): Promise<void> => {
    const asked = { ...askFor({ kind: 'live' }), sharesCache: true as const }
    const lease = await acquireLease(gateway.controlSocket, asked, signal)
    await sendProbe(lease.grant, first('/command'), signal)
    await sendProbe(lease.grant, first('and more'), signal)
    await lease.release()
  }
  const probe = async (): Promise<void> => {
    const lease = await open(gateway, cachedPart(first('query')), [], '')
    await sendProbe(lease.grant, first('query'), signal)
    await lease.release()
  }
  await Promise.all([session(), probe(), session(), probe(), probe(), session()])
  const prefix = Math.ceil(JSON.stringify([undefined, 'Be good. '.repeat(500)]).length / 4)
  expect(model.counts.answers).toBe(9)
  expect(model.counts.cachedTokens).toBe(8 * prefix)
  await gateway.close()
})
