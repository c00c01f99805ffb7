import { describe, expect, onTestFinished, test } from 'vitest'
import { acquireLease, type AcquiredLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { answerAll, pathOf, requestOf, type WireName } from '../../support/api-answers.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel } from '../../support/model-client.ts'
import { sendRaw } from '../../support/raw-client.ts'
import { startRawUpstream } from '../../support/raw-upstream.ts'
import type { RawRequest, RawUpstream } from '../../support/raw-upstream.ts'

const KEY = 'sk-real-1234567890'
const WIRES: readonly WireName[] = ['anthropic-messages', 'openai-responses', 'openai-chat']

interface Setup {
  readonly upstream: RawUpstream
  readonly hostile: AcquiredLease
  readonly innocent: AcquiredLease
}

async function openLeases(wire: WireName): Promise<Setup> {
  const upstream = await startRawUpstream((request) => answerAll(request))
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  const gateway = await startGateway({
    maxCostUsd: 10,
    allowUnknownCost: true,
    concurrency: null,
    environment: {
      ANTHROPIC_BASE_URL: upstream.url,
      OPENAI_BASE_URL: `${upstream.url}/v1`,
      ANTHROPIC_API_KEY: KEY,
      OPENAI_API_KEY: KEY,
    },
  })
  onTestFinished(() => gateway.close())
  const open = (): Promise<AcquiredLease> =>
    acquireLease(gateway.controlSocket, { ...askFor({ kind: 'live' }), wire }, new AbortController().signal)
  return { upstream, hostile: await open(), innocent: await open() }
}

function linesOf(requests: readonly RawRequest[]): readonly string[] {
  return requests.map(({ method, target }) => `${method} ${target}`)
}

describe.for(WIRES)('over %s', (wire) => {
  const smuggled = `POST /v1/messages/batches HTTP/1.1\r\nhost: api\r\ncontent-length: 2\r\n\r\n{}GET /v1/files HTTP/1.1\r\nhost: api\r\n\r\n`

  test.for([
    ['with a length', `content-length: ${smuggled.length}\r\n\r\n${smuggled}`],
    ['in chunks', `transfer-encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`],
  ])('a body of GET /v1/models %s is no request of its own', async ([, rest]) => {
    const { upstream, hostile, innocent } = await openLeases(wire)
    const { socket, token } = hostile.grant
    const head = `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n`
    expect(await sendRaw(socket, head + rest)).toMatch(/^HTTP\/1\.1 200 /)

    const answers = await Promise.all(
      ['one', 'two', 'three'].map((words) =>
        callModel(innocent.grant, { path: pathOf(wire), body: requestOf(wire, 'm', words) }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(linesOf(upstream.requests)).toEqual([
      'GET /v1/models',
      ...['one', 'two', 'three'].map(() => `POST ${pathOf(wire)}`),
    ])
    expect(upstream.violations).toEqual([])
    expect((await innocent.meter()).problems).toEqual([])
  })

  test('a request that is served is built anew, on a connection of its lease alone', async () => {
    const { upstream, hostile, innocent } = await openLeases(wire)
    const { token } = hostile.grant
    const limit = {
      'anthropic-messages': 'max_tokens',
      'openai-responses': 'max_output_tokens',
      'openai-chat': 'max_tokens',
    }[wire]
    const body = `{"model":"dear", "messages" : [], "input":[], "model":"plain", "${limit}" :9}`
    const call = {
      path: `${pathOf(wire)}?beta=true&x=%0d%0aGET%20/v1/files`,
      body,
      headers: {
        'x-api-key': token,
        authorization: 'Bearer another',
        'x-own': 'one',
        host: 'evil.test',
        'content-type': 'text/plain',
        'user-agent': 'engine/1.0',
        connection: 'keep-alive, content-length',
      },
    }
    expect((await callModel(hostile.grant, call)).status).toBe(200)
    await callModel(hostile.grant, { method: 'GET', path: '/v1/models?limit=20' })
    await callModel(innocent.grant, { path: pathOf(wire), body: requestOf(wire, 'm', 'hello') })

    const [asked, listed, other] = upstream.requests
    const isMessages = wire === 'anthropic-messages'
    const written = JSON.stringify({ model: 'plain', messages: [], input: [], [limit]: 9 })
    expect(linesOf(upstream.requests)).toEqual([
      `POST ${pathOf(wire)}?beta=true&x=%0d%0aGET%20/v1/files`,
      'GET /v1/models?limit=20',
      `POST ${pathOf(wire)}`,
    ])
    expect(asked?.body).toBe(written)
    expect(Object.fromEntries(asked?.headers ?? [])).toEqual({
      'accept-encoding': 'identity',
      connection: 'keep-alive',
      'content-length': String(written.length),
      'content-type': 'application/json',
      host: new URL(upstream.url).host,
      'user-agent': 'engine/1.0',
      'x-own': 'one',
      [isMessages ? 'x-api-key' : 'authorization']: isMessages ? KEY : `Bearer ${KEY}`,
    })
    expect(listed?.body).toBe('')
    expect(upstream.violations).toEqual([])
    expect(other?.connection).not.toBe(asked?.connection)
    expect(JSON.stringify(upstream.requests)).not.toContain(token)
  })
})

test('what is no JSON object is refused', async () => {
  const { upstream, hostile } = await openLeases('anthropic-messages')
  const replies = await Promise.all(['{', '[]', 'null'].map((body) => callModel(hostile.grant, { body })))
  expect(replies.map(({ status }) => status)).toEqual([400, 400, 400])
  expect(upstream.requests).toEqual([])
})
