import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendProbe, type ProbeReply } from '../../../../src/session/first-turn/probe.ts'
import { trafficOf } from '../../../../src/engines/registry.ts'
import { acquireLease, type AcquiredLease } from '../../../../src/gateway/control/client.ts'
import { startGateway, type Gateway } from '../../../../src/gateway/gateway.ts'
import type { JsonValue } from '../../../../src/lib/json.ts'
import { askFor } from '../../../support/gateway.ts'
import { startUpstream, type Upstream } from '../../../support/upstream.ts'

const { signal } = new AbortController()

function gatewayTo({ url }: Upstream): Promise<Gateway> {
  const environment = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-api03-real' }
  return startGateway({ concurrency: 3, maxCostUsd: 1000, environment, traffic: trafficOf() })
}

/** A run that its worker may end. */
function open({ controlSocket }: Gateway): Promise<AcquiredLease> {
  return acquireLease(controlSocket, { ...askFor({ kind: 'live' }), mayEnd: true, listen: true }, signal)
}

const QUESTION = { role: 'user', content: 'Write it down.' }
const ROUND = [
  QUESTION,
  { role: 'assistant', content: [{ type: 'tool_use', id: 'one', name: 'Skill', input: { skill: 'notes' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'one', content: 'Done.' }] },
]

function ask(
  { grant }: AcquiredLease,
  messages: readonly JsonValue[],
  headers: Readonly<Record<string, string>> = {},
): Promise<ProbeReply | null> {
  const body = JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 10, messages })
  return sendProbe(grant, { path: '/v1/messages', headers, body, thread: 'main' }, signal)
}

test('a run that is ended by what a request carries asks for nothing more', async () => {
  await using upstream = await startUpstream([{ text: 'Hello' }])
  const gateway = await gatewayTo(upstream)
  const lease = await open(gateway)
  const reply = ask(lease, ROUND)
  const seen = await lease.look()
  expect(seen?.threads[0]?.turns.at(-1)).toMatchObject({ results: [{ id: 'one', text: 'Done.' }], answer: null })
  await lease.release()
  expect(await reply).toBeNull()
  expect(upstream.requests).toHaveLength(0)
  await gateway.close()
})

test('a request waits until its worker has looked, however long that takes, and each request is looked at', async () => {
  await using upstream = await startUpstream([{ text: 'Hello' }])
  const gateway = await gatewayTo(upstream)
  const lease = await open(gateway)
  for (const headers of [{}, { 'x-claude-code-agent-id': 'a1' }]) {
    const before = upstream.requests.length
    const reply = ask(lease, ROUND, headers)
    expect(await lease.look()).not.toBeNull()
    await sleep(100)
    expect(upstream.requests).toHaveLength(before)
    const next = lease.look()
    expect((await reply)?.status).toBe(200)
    const last = ask(lease, [...ROUND, ...ROUND], headers)
    expect(await next).not.toBeNull()
    void lease.look().catch(() => null)
    expect((await last)?.status).toBe(200)
  }
  await lease.release()
  await gateway.close()
})

test('what can decide nothing does not wait, and neither does a run that goes on to its own end', async () => {
  await using upstream = await startUpstream([{ text: 'Hello' }])
  const gateway = await gatewayTo(upstream)
  const lease = await open(gateway)
  expect((await ask(lease, [QUESTION]))?.status).toBe(200)
  await lease.release()
  expect(await lease.look().catch(() => null)).toBeNull()
  const other = await acquireLease(gateway.controlSocket, askFor({ kind: 'live' }), signal)
  expect((await ask(other, ROUND))?.status).toBe(200)
  await other.release()
  await gateway.close()
})
