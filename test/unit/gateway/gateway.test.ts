import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { acquireLease, readAddress, writeAddress } from '../../../src/gateway/control/client.ts'
import { startGateway, type Gateway } from '../../../src/gateway/gateway.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel } from '../../support/model-client.ts'

const HELLO = askFor('turns: [Hello.]')
const unhurried = (): AbortSignal => new AbortController().signal

async function start(options: Partial<Parameters<typeof startGateway>[0]> = {}): Promise<Gateway> {
  const gateway = await startGateway({ concurrency: 1, maxCostUsd: 10, environment: {}, ...options })
  onTestFinished(() => gateway.close())
  return gateway
}

test('the sockets lie in a folder that only this user can enter, and go with it', async () => {
  const gateway = await start()
  const { socket } = readAddress(gateway.controlSocket)
  const { grant } = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  expect(dirname(grant.socket)).toBe(dirname(socket))
  expect(Buffer.byteLength(socket)).toBeLessThan(100)
  expect([dirname(socket), socket, grant.socket].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
    '700',
    '600',
    '600',
  ])
  await gateway.close()
  expect(existsSync(dirname(socket))).toBe(false)
})

test('a lease opens the API on a socket of its own, and on a port where it asks for one, while it lasts', async () => {
  const gateway = await start({ concurrency: 2 })
  const lease = await acquireLease(gateway.controlSocket, { ...HELLO, port: true }, unhurried())
  const other = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  const { grant } = lease
  expect([grant.credential, other.grant.port, other.grant.socket === grant.socket]).toEqual(['api-key', null, false])
  expect((await callModel({ ...grant, socket: other.grant.socket })).status).toBe(401)
  const bearer = { 'x-api-key': '', authorization: `Bearer ${grant.token}` }
  const replies = [
    await callModel(grant),
    await callModel(grant, { tcp: true }),
    await callModel({ ...grant, token: 'sk-ant-other' }),
  ]
  expect(replies.map((reply) => reply.status)).toEqual([200, 200, 401])
  expect((await callModel({ ...grant, token: '' }, { headers: bearer })).status).toBe(401)
  expect(await callModel({ ...grant, token: 'sk-ant-other' })).toMatchObject({
    status: 401,
    body: '{"type":"error","error":{"type":"authentication_error","message":"agent-evals: This credential does not belong to this session."}}',
  })
  await lease.release()
  await expect(callModel(grant)).rejects.toThrow('ENOENT')
  await expect(callModel(grant, { tcp: true })).rejects.toThrow('ECONNREFUSED')
})

test('engines may look whether anybody is there; anything but the model is a problem of the run', async () => {
  const gateway = await start()
  const lease = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  const ask = async (method: string, path: string): Promise<number> =>
    (await callModel(lease.grant, { method, path })).status
  expect([
    await ask('HEAD', '/'),
    await ask('GET', '/api/hello'),
    await ask('POST', '/v1/messages/count_tokens'),
    await ask('POST', '/v1/messages?beta=true'),
    await ask('GET', '/v1/models'),
    await ask('POST', '/leases'),
  ]).toEqual([200, 200, 200, 200, 404, 404])
  expect((await callModel(lease.grant, { body: '{broken' })).status).toBe(400)
  expect((await lease.meter()).problems).toMatchInlineSnapshot(`
    [
      {
        "code": "unexpected-request",
        "message": "The gateway does not serve GET /v1/models. Only model requests of anthropic-messages pass; turn off what made the agent ask for more.",
      },
      {
        "code": "unexpected-request",
        "message": "The gateway does not serve POST /leases. Only model requests of anthropic-messages pass; turn off what made the agent ask for more.",
      },
    ]
  `)
})

test('a token count that nobody made is zero', async () => {
  const gateway = await start()
  const { grant } = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  expect((await callModel(grant, { path: '/v1/messages/count_tokens' })).body).toBe('{"input_tokens":0}')
})

test('without the secret nobody opens a lease or reads a meter', async () => {
  const gateway = await start()
  const lease = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  const { socket } = readAddress(gateway.controlSocket)
  await expect(acquireLease(writeAddress({ socket, secret: 'guess' }), HELLO, unhurried())).rejects.toMatchObject({
    code: 'gateway-unavailable',
  })
  await expect(callModel({ ...lease.grant, socket }, { method: 'GET', path: '/' })).rejects.toThrow()
})

test('one limit holds for everyone, first come first served', async () => {
  const gateway = await start({ concurrency: 2 })
  const order: number[] = []
  const run = async (n: number): Promise<void> => {
    const lease = await acquireLease(gateway.controlSocket, HELLO, unhurried())
    order.push(n)
    await callModel(lease.grant)
    await lease.release()
  }
  const first = run(0)
  await expect.poll(() => gateway.stats().peak.local).toBe(1)
  await Promise.all([first, ...Array.from({ length: 12 }, (_, n) => run(n + 1))])
  expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 13 }, (_, n) => n))
  expect(gateway.stats()).toEqual({ running: 0, waiting: 0, peak: { live: 0, local: 2 } })
})

test('who gives up while waiting leaves the queue', async () => {
  const gateway = await start()
  const lease = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  const impatient = new AbortController()
  const waiting = acquireLease(gateway.controlSocket, HELLO, impatient.signal)
  await expect.poll(() => gateway.stats().waiting).toBe(1)
  impatient.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect.poll(() => gateway.stats().waiting).toBe(0)
  await lease.release()
  await expect(acquireLease(gateway.controlSocket, HELLO, impatient.signal)).rejects.toThrow('enough')
})

test('cancelling stops those who run and those who wait; later ones may start', async () => {
  const gateway = await start()
  const running = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  const waiting = acquireLease(gateway.controlSocket, HELLO, unhurried())
  await expect.poll(() => gateway.stats().waiting).toBe(1)
  gateway.cancelAll('cancelled: keyboard-input')
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled', message: 'cancelled: keyboard-input' })
  await expect.poll(() => running.signal.aborted).toBe(true)
  expect(running.signal.reason).toMatchObject({ code: 'cancelled', message: 'cancelled: keyboard-input' })
  await running.release()
  const next = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  expect(next.signal.aborted).toBe(false)
})

test('a gateway that was stopped lets nobody start, neither who waits nor who comes when a place is free', async () => {
  const gateway = await start()
  const running = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  const waiting = acquireLease(gateway.controlSocket, HELLO, unhurried())
  waiting.catch(() => {})
  await expect.poll(() => gateway.stats().waiting).toBe(1)
  const stopped = { code: 'cancelled', message: 'cancelled: keyboard-input' }
  gateway.stop(stopped.message)
  const late = acquireLease(gateway.controlSocket, HELLO, unhurried())
  await expect(late).rejects.toMatchObject(stopped)
  await gateway.killAll()
  await expect(waiting).rejects.toMatchObject(stopped)
  await expect(acquireLease(gateway.controlSocket, HELLO, unhurried())).rejects.toMatchObject(stopped)
  // What it was killed for, and not that there is no meter any more.
  await expect(running.meter()).rejects.toMatchObject(stopped)
  await expect(running.conversation()).rejects.toMatchObject(stopped)
  await expect(running.finish()).rejects.toMatchObject(stopped)
  await expect(running.reportPid(null)).rejects.toMatchObject(stopped)
  expect(gateway.stats()).toEqual({ running: 0, waiting: 0, peak: { live: 0, local: 1 } })
})

test('closing the gateway ends every run', async () => {
  const gateway = await start()
  const lease = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  const waiting = acquireLease(gateway.controlSocket, HELLO, unhurried())
  waiting.catch(() => {})
  await expect.poll(() => gateway.stats().waiting).toBe(1)
  await gateway.close()
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
  expect(lease.signal.reason).toMatchObject({ code: 'cancelled', message: 'the gateway was closed' })
  await lease.release()
  await expect(acquireLease(gateway.controlSocket, HELLO, unhurried())).rejects.toMatchObject({
    code: 'gateway-unavailable',
  })
})

test('a live run without a credential, and a wire nobody speaks, are refused at once', async () => {
  const gateway = await start()
  const live = { ...HELLO, source: { kind: 'live' } } as const
  await expect(acquireLease(gateway.controlSocket, live, unhurried())).rejects.toMatchObject({ code: 'no-credentials' })
  await expect(
    acquireLease(gateway.controlSocket, { ...HELLO, wire: 'smoke-signals' }, unhurried()),
  ).rejects.toMatchObject({
    code: 'unsupported-engine',
  })
  expect(gateway.stats().running).toBe(0)
})

/** A process tree as engines leave it: a leader, a child in its group, and a daemon in a session of its own. */
function startTree(id: string): { readonly leader: number; readonly pids: Promise<readonly number[]> } {
  const script = 'sleep 300 & echo $!; setsid sleep 300 & echo $!; wait'
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    env: { PATH: process.env['PATH'], AGENT_EVALS_RUN: id },
  })
  const leader = child.pid ?? 0
  const pids = new Promise<readonly number[]>((resolve) => {
    let printed = ''
    child.stdout.on('data', (text: Buffer) => {
      printed += text.toString()
      const numbers = printed.trim().split('\n').map(Number)
      if (numbers.length === 2) resolve([leader, ...numbers])
    })
  })
  return { leader, pids }
}

function isAlive(pid: number): boolean {
  try {
    // A zombie is dead; it waits for a parent that this machine may not have.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('the end of a lease is the end of its processes, daemons included', async () => {
  const gateway = await start()
  const lease = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  const tree = startTree(lease.grant.id)
  await lease.reportPid(tree.leader)
  const pids = await tree.pids
  expect(pids.map(isAlive)).toEqual([true, true, true])
  await lease.release()
  await expect.poll(() => pids.map(isAlive)).toEqual([false, false, false])
})

test('a finished run gives its place on, and is told in one answer what the gateway has seen', async () => {
  const gateway = await start()
  const lease = await acquireLease(gateway.controlSocket, { ...HELLO, listen: true }, unhurried())
  const tree = startTree(lease.grant.id)
  const pids = await tree.pids
  await callModel(lease.grant)
  const seen = [await lease.meter(), await lease.conversation()]
  const next = acquireLease(gateway.controlSocket, HELLO, unhurried())
  const { meter, conversation } = await lease.finish()
  expect([meter, conversation]).toEqual(seen)
  expect(meter.requests).toBe(1)
  expect(conversation.threads).toHaveLength(1)
  await expect.poll(() => pids.map(isAlive)).toEqual([false, false, false])
  await expect(callModel(lease.grant)).rejects.toThrow('ENOENT')
  await (await next).release()
  await lease.release()
  expect(gateway.stats()).toMatchObject({ running: 0, waiting: 0 })
})

test('nobody can have the gateway kill itself', async () => {
  const gateway = await start()
  const lease = await acquireLease(gateway.controlSocket, HELLO, unhurried())
  for (const pid of [0, 1, -1, process.pid, 1.5])
    await expect(lease.reportPid(pid)).rejects.toMatchObject({ code: 'gateway-unavailable' })
  await lease.reportPid(null)
})

test('a worker that dies takes its run along and gives its place back', async () => {
  const gateway = await start()
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     const [path, secret] = workerData.address.split('#')
     const socket = require('node:net').connect(path)
     const send = (line) => socket.write(JSON.stringify(line) + '\\n')
     send({ secret })
     send({ id: 1, what: 'open', value: workerData.asked })
     socket.on('data', (line) => parentPort.postMessage(JSON.parse(line).value))
     parentPort.on('message', (pid) => send({ id: 2, what: 'pid', value: pid }))`,
    { eval: true, workerData: { address: gateway.controlSocket, asked: HELLO } },
  )
  const observed = (): Promise<unknown> => new Promise((resolve) => worker.once('message', resolve))
  const { id } = (await observed()) as { id: string }
  const tree = startTree(id)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(tree.leader)
  await observed()
  const pids = await tree.pids
  const next = acquireLease(gateway.controlSocket, HELLO, unhurried())
  await worker.terminate()
  await next
  await expect.poll(() => pids.map(isAlive)).toEqual([false, false, false])
})
