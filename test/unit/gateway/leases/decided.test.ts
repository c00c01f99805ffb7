import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendProbe, type ProbeReply } from '../../../../src/session/first-turn/probe.ts'
import { trafficOf } from '../../../../src/engines/registry.ts'
import { acquireLease, type AcquiredLease } from '../../../../src/gateway/control/client.ts'
import { startGateway, type Gateway } from '../../../../src/gateway/gateway.ts'
import { askFor } from '../../../support/gateway.ts'
import { startUpstream, type Upstream } from '../../../support/upstream.ts'

const { signal } = new AbortController()

function gatewayTo({ url }: Upstream): Promise<Gateway> {
  const environment = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-api03-real' }
  return startGateway({ concurrency: 3, maxCostUsd: 1000, environment, traffic: trafficOf() })
}

/** A run that the use of a skill ends. */
function open({ controlSocket }: Gateway, skills: readonly string[] | null): Promise<AcquiredLease> {
  return acquireLease(controlSocket, { ...askFor({ kind: 'live' }), endsWith: { skills } }, signal)
}

/** What a session asks after this call of a skill. */
function askAfter(
  { grant }: AcquiredLease,
  skill: string,
  { isError = false, headers = {} }: { isError?: boolean; headers?: Record<string, string> } = {},
): Promise<ProbeReply | null> {
  const body = JSON.stringify({
    model: 'claude-opus-5-5',
    max_tokens: 10,
    messages: [
      { role: 'user', content: 'Write it down.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'one', name: 'Skill', input: { skill } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'one', content: 'Done.', is_error: isError }] },
    ],
  })
  return sendProbe(grant, { path: '/v1/messages', headers, body, thread: 'main' }, signal)
}

test.for([
  { called: 'notes', skills: ['notes'] },
  { called: 'pack:notes', skills: ['note-taking', 'notes'] },
  { called: 'letters', skills: null },
])('a run that is over with $called asks for nothing more', async ({ called, skills }) => {
  await using upstream = await startUpstream([{ text: 'Hello' }])
  const gateway = await gatewayTo(upstream)
  const lease = await open(gateway, skills)
  const reply = askAfter(lease, called)
  // As long as a worker may take to end its run.
  await sleep(300)
  await lease.release()
  expect(await reply).toBeNull()
  expect(upstream.requests).toHaveLength(0)
  await gateway.close()
})

test.for([
  { what: 'another skill', called: 'letters' },
  { what: 'a call that failed', called: 'notes', isError: true },
  { what: 'a sub-agent', called: 'notes', headers: { 'x-claude-code-agent-id': 'a1' } },
])('a run goes on after $what', async ({ called, ...rest }) => {
  await using upstream = await startUpstream([{ text: 'Hello' }])
  const gateway = await gatewayTo(upstream)
  const lease = await open(gateway, ['notes'])
  expect((await askAfter(lease, called, rest))?.status).toBe(200)
  await lease.release()
  await gateway.close()
})

test('a run that is not ended after all goes on, and does not wait again', async () => {
  await using upstream = await startUpstream([{ text: 'Hello' }])
  const gateway = await gatewayTo(upstream)
  const lease = await open(gateway, ['notes'])
  expect((await askAfter(lease, 'notes'))?.status).toBe(200)
  expect((await askAfter(lease, 'notes'))?.status).toBe(200)
  expect((await lease.meter()).requests).toBe(2)
  await lease.release()
  await gateway.close()
})
