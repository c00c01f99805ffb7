import { createServer, request as httpRequest } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { acquireLease, type AcquiredLease } from '../../../../src/gateway/control/client.ts'
import { startGateway } from '../../../../src/gateway/gateway.ts'
import { askFor } from '../../../support/gateway.ts'
import { callModel, sayHello } from '../../../support/model-client.ts'
import { startUpstream } from '../../../support/upstream.ts'

const KEY = 'sk-real-1234567890'
const USAGE = { inputTokens: 11, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 2 }

async function goLive(url: string): Promise<AcquiredLease> {
  const gateway = await startGateway({
    maxCostUsd: 10,
    allowUnknownCost: true,
    concurrency: null,
    environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY },
  })
  onTestFinished(() => gateway.close())
  return acquireLease(gateway.controlSocket, askFor({ kind: 'live' }), new AbortController().signal)
}

test('a request is written anew with the real credential, an answer comes back as it is', async () => {
  await using upstream = await startUpstream([{ text: 'Hello.' }])
  const lease = await goLive(upstream.url)
  const body = '{ "model": "claude-x",  "messages": [{"role":"user","content":"é"}], "max_tokens": 1e3 }'
  const reply = await callModel(lease.grant, {
    path: '/v1/messages?beta=true',
    body,
    headers: { 'anthropic-beta': 'one', 'accept-encoding': 'gzip' },
  })
  expect(upstream.requests).toMatchObject([
    {
      url: '/v1/messages?beta=true',
      body: JSON.stringify(JSON.parse(body)),
      headers: { 'x-api-key': KEY, 'anthropic-beta': 'one', 'accept-encoding': 'identity' },
    },
  ])
  expect(reply).toMatchObject({ status: 200, headers: { 'request-id': 'req_1' } })
  expect(JSON.parse(reply.body)).toMatchObject({
    model: 'claude-upstream-1',
    content: [{ type: 'text', text: 'Hello.' }],
  })
  expect(await lease.meter()).toEqual({
    requests: 1,
    stopReason: 'end-turn',
    usage: USAGE,
    model: 'claude-upstream-1',
    costUsd: null,
    problems: [],
  })
})

test('a stream comes as it is written', async () => {
  let goOn = (): void => {}
  const goesOn = new Promise<void>((resolve) => (goOn = resolve))
  await using upstream = await startUpstream([{ stream: 'Hel', rest: 'lo.', goesOn }])
  const { grant, ...lease } = await goLive(upstream.url)
  const request = httpRequest({
    socketPath: grant.socket,
    method: 'POST',
    path: '/v1/messages',
    headers: { 'x-api-key': grant.token },
  })
  request.end(JSON.stringify(sayHello('a', true)))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: string[] = []
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    chunks.push(chunk)
    if (chunk.includes('Hel')) goOn()
  }
  expect(response.headers['set-cookie']).toBeUndefined()
  expect(chunks.length).toBeGreaterThan(1)
  expect(chunks.at(-1)).toContain('message_stop')
  expect((await lease.meter()).usage).toEqual(USAGE)
})

test('only the model is passed on', async () => {
  await using upstream = await startUpstream([{ text: 'Hello.' }])
  const { grant } = await goLive(upstream.url)
  const ask = async (path: string): Promise<number> => (await callModel(grant, { path })).status
  expect([
    await ask('/v1/files'),
    await ask('/v1/messages/../organizations'),
    await ask('//evil.test/v1/messages'),
  ]).toEqual([403, 403, 403])
  expect(upstream.requests).toEqual([])
})

test('a token count is passed on and is no answer', async () => {
  const missing = { status: 404, message: 'no such thing' }
  await using upstream = await startUpstream([missing, missing])
  const lease = await goLive(upstream.url)
  for (const _ of [1, 2]) expect((await callModel(lease.grant, { path: '/v1/messages/count_tokens' })).status).toBe(404)
  const nothing = { requests: 0, usage: null, model: null, costUsd: 0, problems: [] }
  expect(await lease.meter()).toEqual({ ...nothing, counted: [{ what: expect.any(String), times: 2 }] })
})

test('an overloaded API is a problem until it answers', async () => {
  await using upstream = await startUpstream([
    { status: 529, message: 'Overloaded', headers: { 'retry-after': '7' } },
    { text: 'Hello.' },
  ])
  const lease = await goLive(upstream.url)
  expect(await callModel(lease.grant)).toMatchObject({ status: 529, headers: { 'retry-after': '7' } })
  const host = new URL(upstream.url).host
  expect((await lease.meter()).problems).toEqual([
    { code: 'upstream-failed', message: `The API at ${host} answered 529: api_error: Overloaded.` },
  ])
  await callModel(lease.grant)
  expect(await lease.meter()).toMatchObject({ requests: 2, problems: [] })
})

test('an API that is asked too fast is asked again later, which no engine notices', async () => {
  await using upstream = await startUpstream([
    { status: 429, message: 'Slow down', headers: { 'retry-after': '0' } },
    { status: 429, message: 'Slow down', headers: { 'retry-after-ms': '20' } },
    { text: 'Hello.' },
  ])
  const lease = await goLive(upstream.url)
  expect((await callModel(lease.grant)).status).toBe(200)
  expect(upstream.requests).toHaveLength(3)
  expect(await lease.meter()).toMatchObject({ requests: 1, problems: [] })
})

test('an API that wants a longer wait than any run has is passed back', async () => {
  await using upstream = await startUpstream([
    { status: 429, message: 'Come back tomorrow', headers: { 'retry-after': '86400' } },
  ])
  const lease = await goLive(upstream.url)
  expect(await callModel(lease.grant)).toMatchObject({ status: 429, headers: { 'retry-after': '86400' } })
  expect((await lease.meter()).problems).toMatchObject([{ code: 'upstream-failed' }])
})

test.for([
  { status: 400, message: 'Your credit balance is too low to access the API.', code: 'out-of-credit' },
  { status: 429, message: 'enforced_spend_limit_reached', code: 'out-of-credit' },
  { status: 402, message: '', code: 'out-of-credit' },
  { status: 401, message: 'invalid x-api-key', code: 'upstream-failed' },
  { status: 404, message: 'model: claude-x', code: 'upstream-failed' },
])('$status $message stays a problem', async ({ status, message, code }) => {
  await using upstream = await startUpstream([{ status, message }, { text: 'Hello.' }])
  const lease = await goLive(upstream.url)
  expect((await callModel(lease.grant)).status).toBe(status)
  await callModel(lease.grant)
  expect((await lease.meter()).problems).toMatchObject([{ code }])
})

test('an upstream that tells the key does not tell the engine', async () => {
  const headers = { 'www-authenticate': `Bearer ${KEY}` }
  await using upstream = await startUpstream([
    { status: 401, message: `bad key ${KEY}`, headers },
    { text: `It is ${KEY}.` },
  ])
  const lease = await goLive(upstream.url)
  const replies = [await callModel(lease.grant), await callModel(lease.grant)]
  expect(JSON.stringify([replies, await lease.meter()])).not.toContain(KEY)
  expect(replies.map((reply) => reply.body.includes('***********'))).toEqual([true, true])
})

test('an answer that breaks off breaks off for the engine too, and its tokens count', async () => {
  await using upstream = await startUpstream([{ stream: 'Hel', rest: '', cut: true }])
  const lease = await goLive(upstream.url)
  await expect(callModel(lease.grant)).rejects.toThrow('aborted')
  const host = new URL(upstream.url).host
  await expect
    .poll(() => lease.meter())
    .toMatchObject({
      usage: { inputTokens: 11, outputTokens: 1 },
      problems: [{ code: 'upstream-failed', message: `The API at ${host} answered 200: the answer broke off.` }],
    })
})

test.for(['an outage whose page breaks off', 'a stream that begins with an error'])(
  'what no model answered costs nothing: %s',
  async (what) => {
    const server = createServer((request, response) => {
      request.resume()
      if (what.startsWith('a stream')) {
        const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        return response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`)
      }
      response.writeHead(503, { 'content-length': 100 }).write('Down')
      return setTimeout(() => request.socket.destroy(), 10)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const lease = await goLive(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const body = { ...sayHello('a', true), model: 'claude-sonnet-5' }
    await callModel(lease.grant, { body }).catch(() => {})
    const { meter } = await lease.finish()
    expect(meter).toMatchObject({ costUsd: 0, problems: [{ code: 'upstream-failed' }] })
  },
)

test('an upstream that is not there is said, and the engine may try again', async () => {
  const lease = await goLive('http://127.0.0.1:1')
  const reply = await callModel(lease.grant)
  const message = 'The API at 127.0.0.1:1 cannot be reached (ECONNREFUSED). Check the network and ANTHROPIC_BASE_URL.'
  expect(reply.status).toBe(502)
  expect(JSON.parse(reply.body)).toEqual({ type: 'error', error: { type: 'api_error', message } })
  expect((await lease.meter()).problems).toEqual([{ code: 'upstream-failed', message }])
})

test('an engine that hangs up is not a problem of the API', async () => {
  await using upstream = await startUpstream([{ stream: 'Hel', rest: 'lo.' }])
  const lease = await goLive(upstream.url)
  const { socket, token } = lease.grant
  const request = httpRequest({
    socketPath: socket,
    method: 'POST',
    path: '/v1/messages',
    headers: { 'x-api-key': token },
  })
  request.on('error', () => {})
  request.end(JSON.stringify(sayHello('a', true)))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  await once(response, 'data')
  request.destroy()
  await expect.poll(async () => (await lease.meter()).usage).toMatchObject({ inputTokens: 11 })
  expect((await lease.meter()).problems).toEqual([])
})

test('fields and headers that the gateway does not know reach the API as they are', async () => {
  await using upstream = await startUpstream([{ text: 'Hello.' }])
  const lease = await goLive(upstream.url)
  const body = JSON.stringify({ ...sayHello('a', false), speed: 'fast' })
  await callModel(lease.grant, { body, headers: { 'x-unknown': 'a' } })
  expect(upstream.requests[0]?.body).toBe(body)
  expect(upstream.requests[0]?.headers['x-unknown']).toBe('a')
})

test('a request by which the API would reach something is refused and named', async () => {
  await using upstream = await startUpstream([{ text: 'Hello.' }])
  const lease = await goLive(upstream.url)
  const ask = (more: object): ReturnType<typeof callModel> =>
    callModel(lease.grant, { body: JSON.stringify({ ...sayHello('a', false), ...more }) })
  expect((await ask({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] })).status).toBe(403)
  expect(await lease.meter()).toMatchObject({ problems: [] })
  expect((await ask({ mcp_servers: [{ type: 'url' }] })).status).toBe(403)
  await ask({ mcp_servers: [{ type: 'url' }] })
  expect(upstream.requests).toEqual([])
  expect(await lease.meter()).toMatchObject({
    problems: [{ code: 'unexpected-request' }],
    refused: [
      { what: 'a tool that the API runs, "web_search_20250305"', times: 1 },
      { what: 'the field "mcp_servers"', times: 2 },
    ],
  })
})

test('a request that meets the end of an idle connection is sent once more, and no request that was begun anew', async () => {
  let connections = 0
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    const isReused = seen.has(request.socket)
    seen.add(request.socket)
    if (isReused || isBroken) return request.socket.destroy()
    request.resume()
    return response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER)
  })
  let isBroken = false
  const seen = new WeakSet<object>()
  server.on('connection', () => (connections += 1))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const lease = await goLive(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const ask = async (): Promise<number> =>
    (await callModel(lease.grant, { body: JSON.stringify(sayHello('a')) })).status
  expect(await ask()).toBe(200)
  expect(await ask()).toBe(200)
  expect([connections, requests, (await lease.meter()).requests]).toEqual([2, 3, 2])
  isBroken = true
  expect(await ask()).toBe(502)
  expect((await lease.meter()).problems).toMatchObject([{ code: 'upstream-failed' }])
})

const ANSWER = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
})
