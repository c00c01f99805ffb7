import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { acquireLease, type AcquiredLease } from '../../../../src/gateway/control/client.ts'
import { startGateway } from '../../../../src/gateway/gateway.ts'
import { createConnections } from '../../../../src/gateway/sources/connections.ts'
import { askFor } from '../../../support/gateway.ts'
import { callModel, sayHello } from '../../../support/model-client.ts'
import { startUpstream } from '../../../support/upstream.ts'

async function goLive(url: string, environment: Readonly<Record<string, string>>): Promise<AcquiredLease> {
  const gateway = await startGateway({
    maxCostUsd: 10,
    allowUnknownCost: true,
    concurrency: null,
    environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-real-1234567890', ...environment },
  })
  onTestFinished(() => gateway.close())
  return acquireLease(gateway.controlSocket, askFor({ kind: 'live' }), new AbortController().signal)
}

const ask = (lease: AcquiredLease): ReturnType<typeof callModel> =>
  callModel(lease.grant, { path: '/v1/messages', body: JSON.stringify(sayHello('claude-x')) })

/** A proxy that leads every address to one port of this machine, and notes the addresses. */
async function startProxy(port: number, asked: string[]): Promise<string> {
  const server: Server = createServer()
  server.on('connect', ({ url = '' }, socket) => {
    asked.push(url)
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    for (const end of [onward, socket]) end.on('error', () => {})
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a request goes through the proxy of the environment, and one to this machine does not', async () => {
  await using upstream = await startUpstream([{ text: 'Hello.' }, { text: 'Hello again.' }])
  const asked: string[] = []
  const HTTP_PROXY = await startProxy(Number(new URL(upstream.url).port), asked)
  const far = await goLive('http://api.example.com:8080', { HTTP_PROXY })
  expect(await ask(far)).toMatchObject({ status: 200 })
  const near = await goLive(upstream.url, { HTTP_PROXY })
  expect(await ask(near)).toMatchObject({ status: 200 })
  expect(asked).toEqual(['api.example.com:8080'])
})

test('a proxy that cannot be reached is named, without its password', async () => {
  const environment = { https_proxy: 'http://user:secret@127.0.0.1:1' }
  const lease = await goLive('https://api.example.com', environment)
  const reply = await ask(lease)
  expect(reply.body).toContain(
    'The API at api.example.com cannot be reached through the proxy 127.0.0.1:1 of HTTPS_PROXY (ECONNREFUSED).',
  )
  expect(reply.body).not.toContain('secret')
})

const P = ' through the proxy p:1 of HTTPS_PROXY'

test.for([
  ['https://api.example.com', {}, ''],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p:1' }, P],
  ['https://api.example.com', { HTTPS_PROXY: 'p:1' }, P],
  ['https://api.example.com', { HTTP_PROXY: 'http://p:1' }, ''],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'other.com,.example.com' }, ''],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'ple.com' }, P],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'example.com:443' }, ''],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'example.com:8443' }, P],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p:1', no_proxy: '*' }, ''],
  ['http://localhost:11434', { HTTP_PROXY: 'http://p:1' }, ''],
  ['http://[::1]:11434', { HTTP_PROXY: 'http://p:1' }, ''],
] as const)('%s with %j is asked for%s', ([url, environment, clause]) => {
  expect(createConnections(new URL(url), environment).throughProxy).toBe(clause)
})
