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
  return () => acquireLease(gateway.controlSocket, askFor({ kind: 'live' }), new AbortController().signal)
}

const ASK = { body: { ...sayHello('Hello?'), model: OWN } }

/** Opens connections that say nothing; resolves when the gateway has seen them. */
async function openIdle(count: number, path: string) {
  const sockets = Array.from({ length: count }, () => connect(path).on('error', () => {}))
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  )
  return () => sockets.filter(({ closed, connecting }) => !closed && !connecting).length
}

test('a session that opens connections without end has few of them, and others are served', async () => {
  await using upstream = await startRawUpstream((request) => answerAll(request))
  const open = await startLive(upstream.url)
  const [hostile, innocent] = [await open(), await open()]
  const stillOpen = await openIdle(500, hostile.grant.socket)
  expect((await callModel(innocent.grant, ASK)).status).toBe(200)
  await expect.poll(stillOpen).toBeLessThanOrEqual(64)
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

test('an API that changes the protocol fails', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    )
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
