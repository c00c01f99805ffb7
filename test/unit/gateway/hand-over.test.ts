import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendProbe, storeReply } from '../../../src/session/first-turn/probe.ts'
import { firstTurn } from '../../../src/engines/claude-code/first-turn.ts'
import { acquireLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { askFor } from '../../support/gateway.ts'
import { startRawUpstream } from '../../support/raw-upstream.ts'
import type { FirstRequest } from '../../../src/gateway/first-turn/first-turn.ts'
import type { LeaseGrant } from '../../../src/gateway/leases/lease.ts'

const KEY = 'sk-ant-api03-real-credential'
const CONTENT = [
  { type: 'thinking', thinking: 'Let me see.', signature: 'ErUBCkYIBRgCIkD/+==' },
  { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/Lafp' },
  {
    type: 'tool_use',
    id: 'toolu_01A09q90qw90lq917835lq9',
    name: 'Bash',
    input: { command: 'ls', note: 'gr\u00fc\u00dfe' },
  },
]
const MESSAGE = { id: 'msg_01XFDUDYJgAACzvnptvVoYEL', type: 'message', role: 'assistant', model: 'claude-opus-5-5' }

/** As an API may write it: other spacing than ours, a comment, fields that are known to no one, an escaped letter. */
const STREAM = `: hello

event: message_start
data: {"type":"message_start", "message":{"id":"${MESSAGE.id}","type":"message","role":"assistant","model":"${MESSAGE.model}","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}, "later": 1.50}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me see."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"${CONTENT[0]?.signature}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":${JSON.stringify(CONTENT[1])}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"${CONTENT[2]?.id}","name":"Bash","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\\"command\\":\\"ls\\",\\"note\\":\\"gr\\\\u00fc\u00dfe\\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}

event: message_stop
data: {"type":"message_stop"}

`
const HEADERS = {
  'Request-Id': 'req_011CSHoEeqs5C35K2UUqR7Fy',
  'anthropic-organization-id': '83b0ae2d-6ad1-4a8c-8c22-0c5a5a3a1f7b',
  'anthropic-ratelimit-requests-remaining': '3999',
  'x-later': 'a, b;c="d"',
  date: 'Mon, 23 Nov 2026 12:00:00 GMT',
}

const BODY = { model: 'claude-opus-5-5', max_tokens: 10, messages: [{ role: 'user', content: 'Look around.' }] }
const SENT: FirstRequest = {
  path: '/v1/messages?beta=true',
  headers: { 'anthropic-version': '2023-06-01', 'accept-encoding': 'identity' },
  body: JSON.stringify({ ...BODY, stream: true }),
  thread: 'main',
}

test('a session gets the answer to its probe byte for byte, and asks on with the same credential and model', async () => {
  await using upstream = await startRawUpstream(() => ({
    type: 'text/event-stream; charset=utf-8',
    headers: HEADERS,
    // Cut within a line.
    body: [STREAM.slice(0, 100), STREAM.slice(100, 1301), STREAM.slice(1301)],
  }))
  const gateway = await startGateway({
    concurrency: 1,
    maxCostUsd: 1000,
    environment: { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: KEY },
  })
  const { signal } = new AbortController()
  const asked = { ...askFor({ kind: 'live' }), firstTurn: 'probe' as const, cached: 'all' }
  const lease = await acquireLease(gateway.controlSocket, asked, signal)
  const reply = await sendProbe(lease.grant, SENT, signal)
  if (reply === null) throw new Error('The probe got no answer.')
  const answer = firstTurn.read(reply.contentType, reply.bytes)
  await lease.handOver({ request: SENT, answer: storeReply(reply, answer) })

  const first = await ask(lease.grant, SENT.body)
  const again = await ask(lease.grant, SENT.body)
  for (const { status, headers, bytes } of [first, again]) {
    expect(status).toBe(200)
    expect(bytes).toEqual(Buffer.from(STREAM))
    const lowered = Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name.toLowerCase(), value]))
    expect(headers).toMatchObject({ ...lowered, 'content-type': 'text/event-stream; charset=utf-8' })
  }
  const unstreamed = await ask(lease.grant, JSON.stringify(BODY))
  expect(unstreamed.headers['content-type']).toBe('application/json')
  expect(JSON.parse(unstreamed.bytes.toString())).toMatchObject({
    ...MESSAGE,
    content: CONTENT,
    stop_reason: 'tool_use',
  })
  expect(upstream.requests).toHaveLength(1)

  // The session goes on: only this is asked of the API.
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: CONTENT[2]?.id, content: 'a.txt' }] }
  const messages = [...BODY.messages, { role: 'assistant', content: CONTENT }, result]
  const next = await ask(lease.grant, JSON.stringify({ ...BODY, stream: true, messages }))
  expect(next.status).toBe(200)
  expect(upstream.requests.map(({ headers, body }) => [keyOf(headers), modelOf(body)])).toEqual([
    [KEY, BODY.model],
    [KEY, BODY.model],
  ])
  expect(upstream.requests[1]?.body).toContain(JSON.stringify(CONTENT.slice(0, 2)).slice(1, -1))
  await lease.release()
  await gateway.close()
})

test('what a session goes on from stays with its worker until there is a place, however large it is', async () => {
  await using upstream = await startRawUpstream(() => ({ type: 'text/event-stream', body: STREAM }))
  const gateway = await startGateway({
    concurrency: 1,
    maxCostUsd: 1000,
    environment: { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: KEY },
  })
  const { signal } = new AbortController()
  const other = await acquireLease(gateway.controlSocket, askFor({ kind: 'live' }), signal)
  const asked = { ...askFor({ kind: 'live' }), firstTurn: 'probe' as const, cached: 'all' }
  const lease = await acquireLease(gateway.controlSocket, asked, signal)
  const body = 'x'.repeat(4 * 1024 * 1024)
  const answer = { status: 200, headers: {}, isCut: false, body: Buffer.from(body).toString('base64'), message: null }
  let isOver = false
  const handOver = lease.handOver({ request: SENT, answer }).then(() => (isOver = true))
  await sleep(50)
  expect(isOver).toBe(false)
  await other.release()
  await handOver
  expect((await ask(lease.grant, SENT.body)).bytes.toString()).toBe(body)
  expect(upstream.requests).toEqual([])
  await lease.release()
  await gateway.close()
})

async function ask(
  { socket, token }: LeaseGrant,
  body: string,
): Promise<{
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
}> {
  const headers = { ...SENT.headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const outgoing = httpRequest({ socketPath: socket, method: 'POST', path: SENT.path, headers, agent: false })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: incoming.statusCode, headers: incoming.headers, bytes: await buffer(incoming) }
}

function keyOf(headers: readonly (readonly [string, string])[]): string | undefined {
  return headers.find(([name]) => name === 'x-api-key')?.[1]
}

function modelOf(body: string): unknown {
  return (JSON.parse(body) as { readonly model?: unknown }).model
}
