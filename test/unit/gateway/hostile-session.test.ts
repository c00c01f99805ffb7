import { once } from 'node:events'
import { createServer, connect, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { acquireLease, type AcquiredLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { answerAll } from '../../support/api-answers.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel, sayHello } from '../../support/model-client.ts'
import { startRawUpstream } from '../../support/raw-upstream.ts'

const OWN = 'claude-sonnet-4-5'

async function openLive(url: string): Promise<AcquiredLease> {
  const open = await startLive(url)
  return open()
}

async function startLive(url: string): Promise<() => Promise<AcquiredLease>> {
  const gateway = await startGateway({
    maxCostUsd: 10,
    concurrency: 64,
    environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-real-1234567890' },
  })
  onTestFinished(() => gateway.close())
  const asked = { ...askFor({ kind: 'live' }), models: { own: OWN, named: [] }, port: true }
  return () => acquireLease(gateway.controlSocket, asked, new AbortController().signal)
}

const ASK = { body: { ...sayHello('Hello?'), model: OWN } }

/** Opens connections that say nothing; resolves when the gateway has seen them. */
async function openIdle(count: number, address: { readonly path: string } | { readonly port: number }) {
  const sockets = Array.from({ length: count }, () => connect(address).on('error', () => {}))
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  )
  return () => sockets.filter(({ closed, connecting }) => !closed && !connecting).length
}

test('a session that opens connections without end takes few descriptors, and is errored', async () => {
  await using upstream = await startRawUpstream((request) => answerAll(request))
  const open = await startLive(upstream.url)
  const [hostile, innocent] = [await open(), await open()]
  const stillOpen = await openIdle(500, { path: hostile.grant.socket })
  expect((await callModel(innocent.grant, ASK)).status).toBe(200)
  await expect.poll(stillOpen).toBeLessThanOrEqual(64)
  expect((await hostile.meter()).problems.map(({ code }) => code)).toEqual(['unexpected-request'])
  expect((await innocent.meter()).problems).toEqual([])
})

test('who connects to the port of a session without its credential does not harm it', async () => {
  await using upstream = await startRawUpstream((request) => answerAll(request))
  const lease = await openLive(upstream.url)
  const { grant } = lease
  const stillOpen = await openIdle(500, { port: grant.port ?? 0 })
  const stranger = await callModel({ ...grant, token: 'sk-ant-guess' }, { ...ASK, tcp: true })
  const reply = await callModel(grant, { ...ASK, tcp: true })
  expect([stranger.status, reply.status]).toEqual([401, 200])
  await expect.poll(stillOpen).toBeLessThanOrEqual(64)
  expect((await lease.meter()).problems).toEqual([])
})

test('64 sessions at once have as many requests open as any engine', async () => {
  await using upstream = await startRawUpstream((request) => answerAll(request))
  const open = await startLive(upstream.url)
  const leases = await Promise.all(Array.from({ length: 64 }, open))
  const replies = await Promise.all(
    leases.flatMap(({ grant }) => Array.from({ length: 8 }, () => callModel(grant, ASK))),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  const readings = await Promise.all(leases.map((lease) => lease.meter()))
  expect(readings.flatMap(({ problems }) => problems)).toEqual([])
})

/** A bare connection to the socket of a session. */
function connectTo({ grant }: AcquiredLease) {
  const socket = connect(grant.socket)
  let bytes = ''
  socket.on('error', () => {})
  socket.setEncoding('latin1').on('data', (text: string) => (bytes += text))
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, closed, bytes: () => bytes }
}

test('requests that are refused are counted, and only the first kinds of them are remembered', async () => {
  await using upstream = await startRawUpstream((request) => answerAll(request))
  const lease = await openLive(upstream.url)
  for (let n = 0; n < 100; n += 1) {
    const reply = await callModel(lease.grant, { body: { ...sayHello('Hello?'), model: `other-${n}` } })
    expect(reply.status).toBe(403)
  }
  const { problems, refused = [] } = await lease.meter()
  expect(problems).toHaveLength(21)
  expect(problems.at(-1)?.message).toBe('80 more problems of this session are not listed.')
  expect(refused).toHaveLength(21)
  expect(refused.at(-1)).toEqual({ what: 'other requests', times: 80 })
  expect(upstream.requests).toEqual([])
})

test.for([
  { name: 'a credential', headers: '' },
  { name: 'the credential of a run', headers: 'x-api-key: sk-ant-wrong\r\n' },
])('the body of a request without $name is not read', async ({ headers }) => {
  await using upstream = await startRawUpstream((request) => answerAll(request))
  const lease = await openLive(upstream.url)
  const { socket, bytes, closed } = connectTo(lease)
  socket.write(`POST /v1/messages HTTP/1.1\r\nhost: x\r\n${headers}transfer-encoding: chunked\r\n\r\n`)
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  let sent = 0
  const send = (): void => {
    while (!socket.destroyed && sent < 4096) {
      sent += 1
      if (!socket.write(chunk)) return void socket.once('drain', send)
    }
  }
  send()
  await closed
  expect(bytes()).toMatch(/^HTTP\/1\.1 401 /)
  expect(sent).toBeLessThan(100)
})

test.for([
  { name: '103 without end', bytes: 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', times: 1000 },
  { name: '101', bytes: 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', times: 1 },
])('an API that answers $name fails', async ({ bytes, times }) => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(bytes.repeat(times)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const lease = await openLive(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const reply = await callModel(lease.grant, { body: { ...sayHello('Hello?'), model: OWN } })
  expect(reply.status).toBe(502)
  const { problems, waits } = await lease.meter()
  expect([problems.map(({ code }) => code), waits]).toEqual([['upstream-failed'], undefined])
})

test('an account that the API refuses is asked no more, by open sessions or new ones', async () => {
  const refusal = { status: 401, body: '{"type":"error","error":{"type":"authentication_error","message":"bad key"}}' }
  await using upstream = await startRawUpstream(() => refusal)
  const open = await startLive(upstream.url)
  const lease = await open()
  expect((await callModel(lease.grant, ASK)).status).toBe(401)
  expect((await callModel(lease.grant, ASK)).status).toBe(403)
  await expect(open()).rejects.toMatchObject({
    code: 'credential-refused',
    message: expect.stringContaining('Check that the credential is valid.') as string,
  })
  expect(upstream.requests.map(({ target }) => target)).toEqual(['/v1/messages', '/v1/messages/count_tokens'])
  expect(upstream.requests[1]?.body).toBe(
    JSON.stringify({ model: OWN, messages: [{ role: 'user', content: 'Hello' }] }),
  )
})

test.for([401, 403])('a %s that a session provoked keeps no other from its work', async (status) => {
  const refusal = { status, body: '{"type":"error","error":{"type":"permission_error","message":"not this"}}' }
  await using upstream = await startRawUpstream((request) =>
    request.body.includes('provoke') ? refusal : answerAll(request),
  )
  const open = await startLive(upstream.url)
  const hostile = await open()
  expect((await callModel(hostile.grant, { body: { ...sayHello('provoke'), model: OWN } })).status).toBe(status)
  expect((await callModel((await open()).grant, ASK)).status).toBe(200)
})
