import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acquireLease, type AcquiredLease } from '../../../src/gateway/control/client.ts'
import { startGateway, type Gateway, type GatewayOptions } from '../../../src/gateway/gateway.ts'
import type { LeaseRequest } from '../../../src/gateway/leases/lease.ts'
import { answerAll, pathOf, requestOf, type WireName } from '../../support/api-answers.ts'
import { askFor } from '../../support/gateway.ts'
import { callModel } from '../../support/model-client.ts'
import { startRawUpstream, type RawRequest, type RawUpstream } from '../../support/raw-upstream.ts'

const KEY = 'sk-real-1234567890'
const MODELS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'claude-sonnet-5',
  'openai-responses': 'gpt-5',
  'openai-chat': 'gpt-5',
}
const WIRES = Object.keys(MODELS) as WireName[]
const unhurried = new AbortController().signal

interface Attacked {
  readonly gateway: Gateway
  readonly upstream: RawUpstream
  open(wire?: WireName, more?: Partial<LeaseRequest>): Promise<AcquiredLease>
}

async function attack(
  answer: Parameters<typeof startRawUpstream>[0],
  options: Partial<GatewayOptions> = {},
): Promise<Attacked> {
  const upstream = await startRawUpstream(answer)
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  return { upstream, ...(await startBefore(upstream.url, options)) }
}

async function startBefore(url: string, options: Partial<GatewayOptions>): Promise<Pick<Attacked, 'gateway' | 'open'>> {
  const gateway = await startGateway({
    maxCostUsd: 4,
    concurrency: 8,
    environment: {
      ANTHROPIC_BASE_URL: url,
      OPENAI_BASE_URL: `${url}/v1`,
      ANTHROPIC_API_KEY: KEY,
      OPENAI_API_KEY: KEY,
    },
    ...options,
  })
  onTestFinished(() => gateway.close())
  return {
    gateway,
    open: (wire = 'anthropic-messages', more = {}) =>
      acquireLease(gateway.controlSocket, { ...askFor({ kind: 'live' }), wire, ...more }, unhurried),
  }
}

function bodyOf({ body }: Pick<RawRequest, 'body'>): Readonly<Record<string, unknown>> {
  return JSON.parse(body) as Readonly<Record<string, unknown>>
}

async function send(
  lease: AcquiredLease,
  wire: WireName,
  body: object | string,
): Promise<{ status: number; body: string }> {
  return callModel(lease.grant, { path: pathOf(wire), body })
}

describe.for(WIRES)('over %s', (wire) => {
  test('a model without a price is not asked, and the refusal holds the line that settles it', async () => {
    const { upstream, open } = await attack((request) => answerAll(request))
    const lease = await open(wire)
    const reply = await send(lease, wire, requestOf(wire, 'house-1', 'hello'))
    expect(reply.status).toBeGreaterThanOrEqual(400)
    expect(reply.body).toContain('no price for house-1')
    expect((await lease.meter()).problems).toMatchObject([
      {
        code: 'unknown-price',
        message: expect.stringContaining('prices: { "house-1": { input: INPUT, output: OUTPUT } }') as string,
      },
    ])
    expect(upstream.requests).toEqual([])
  })

  test('where unknown costs are allowed, the price of the model that answers counts all the same', async () => {
    const { gateway, open } = await attack((request) => answerAll(request, MODELS[wire], 1e6), {
      allowUnknownCost: true,
    })
    const lease = await open(wire)
    expect((await send(lease, wire, requestOf(wire, 'house-1', 'hello'))).status).toBe(200)
    expect(gateway.activity().costUsd).toBe(0)
    const named = await open(wire, { caseId: 'b' })
    expect((await send(named, wire, requestOf(wire, MODELS[wire], 'hello'))).status).toBe(200)
    expect(gateway.activity().costUsd).toBeGreaterThan(4)
    const refused = await send(named, wire, requestOf(wire, MODELS[wire], 'hello'))
    expect(refused.body).toContain('The budget of $4 has $0.00 left')
  })

  test('a dearer model that answers is charged, and one of unknown price what was expected', async () => {
    const dear = wire === 'anthropic-messages' ? 'claude-opus-4-1' : 'gpt-5-pro'
    const { gateway, open } = await attack((request) => answerAll(request, dear, 1000))
    const lease = await open(wire)
    await send(lease, wire, requestOf(wire, MODELS[wire], 'hello'))
    expect(gateway.activity().costUsd).toBeCloseTo((wire === 'anthropic-messages' ? 75 : 120) / 1000, 2)

    const other = await attack((request) => answerAll(request, 'another-1', 1))
    const second = await other.open(wire)
    await send(second, wire, { ...requestOf(wire, MODELS[wire], 'hello'), ...limitOf(wire, 8000) })
    expect(other.gateway.activity().costUsd).toBeCloseTo(0.02, 2)
    expect(await second.meter()).toMatchObject({
      usage: { outputTokens: 1 },
      costUsd: other.gateway.activity().costUsd,
    })
  })

  test('only the field of its own API limits an answer, and one is added where there is none', async () => {
    const { upstream, open } = await attack((request) => answerAll(request, MODELS[wire]))
    const lease = await open(wire)
    const {
      max_tokens: _,
      max_output_tokens: __,
      ...rest
    } = requestOf(wire, MODELS[wire], 'hello') as Record<string, unknown>
    const foreign = wire === 'openai-responses' ? 'max_tokens' : 'max_output_tokens'
    await send(lease, wire, { ...rest, [foreign]: 1 })
    await send(lease, wire, { ...rest, [own(wire)]: -5 })
    await send(lease, wire, { ...rest, [own(wire)]: 60 })
    const limits = upstream.requests.map((request) => bodyOf(request)[own(wire)])
    expect(limits).toEqual([wire === 'anthropic-messages' ? 32_000 : 32_000, 32_000, 60])
  })

  test('an answer that the budget has cut ends the case, and what the session asks further is refused', async () => {
    const { gateway, upstream, open } = await attack((request) => cutAnswer(wire, bodyOf(request)), { maxCostUsd: 0.1 })
    const lease = await open(wire)
    const body = { ...requestOf(wire, MODELS[wire], 'hello'), ...limitOf(wire, 32_000) }
    expect((await send(lease, wire, body)).status).toBe(200)
    const sent = Number(bodyOf(upstream.requests[0] as RawRequest)[own(wire)])
    expect(sent).toBe(8000)
    expect((await send(lease, wire, body)).body).toContain(`cut off after ${sent} tokens`)
    expect((await send(lease, wire, body)).status).toBeGreaterThanOrEqual(400)
    expect((await lease.meter()).problems[0]).toMatchObject({ code: 'budget-spent' })
    expect(upstream.requests).toHaveLength(1)
    expect(gateway.activity().costUsd).toBeLessThanOrEqual(0.1)
  })

  test('one that is cut at the limit that it asked for is not', async () => {
    const { open } = await attack((request) => cutAnswer(wire, bodyOf(request)))
    const lease = await open(wire)
    const body = { ...requestOf(wire, MODELS[wire], 'hello'), ...limitOf(wire, 50) }
    await send(lease, wire, body)
    expect((await send(lease, wire, body)).status).toBe(200)
    expect((await lease.meter()).problems).toMatchObject([{ code: 'max-tokens' }])
  })

  test('what a session hangs up on is charged what was expected where no end says what it cost', async () => {
    const { gateway, upstream, open } = await attack((request) =>
      bodyOf(request)['stream'] === true
        ? { type: 'text/event-stream', body: begin(wire) }
        : answerAll(request, MODELS[wire]),
    )
    const lease = await open(wire)
    const body = { ...requestOf(wire, MODELS[wire], 'hello'), ...limitOf(wire, 60_000), stream: true }
    for (let n = 0; n < 3; n += 1) await hangUp(lease, wire, body)
    const { meter } = await lease.finish()
    const spent = gateway.activity().costUsd
    expect(spent).toBeCloseTo(3 * 0.02, 2)
    expect(meter).toMatchObject({ problems: [], costUsd: spent })
    expect(upstream.requests).toHaveLength(3)
    const later = await open(wire, { caseId: 'b' })
    expect((await send(later, wire, requestOf(wire, MODELS[wire], 'hello'))).status).toBe(200)
    expect(gateway.activity().costUsd).toBeLessThanOrEqual(4)
  })

  test('the rest of an answer that a session hangs up on says what it costs', async () => {
    const usage = { input_tokens: 10, output_tokens: 1000, prompt_tokens: 10, completion_tokens: 1000 }
    const { gateway, open } = await attack(() => ({ type: 'text/event-stream', body: endLater(wire, usage) }))
    const lease = await open(wire)
    await hangUp(lease, wire, { ...requestOf(wire, MODELS[wire], 'hello'), ...limitOf(wire, 60_000), stream: true })
    // The program is gone before the answer ends.
    const { meter } = await lease.finish()
    expect(meter).toMatchObject({ requests: 0, usage: { outputTokens: 1000 }, problems: [] })
    expect(meter.costUsd).toBeCloseTo(0.01, 2)
    expect(gateway.activity().costUsd).toBe(meter.costUsd)
  })

  test('what we break off ourselves costs what came of it', async () => {
    const { gateway, open } = await attack(() => ({ type: 'text/event-stream', body: begin(wire) }))
    const lease = await open(wire)
    const body = { ...requestOf(wire, MODELS[wire], 'hello'), ...limitOf(wire, 60_000), stream: true }
    const response = await startReading(lease, wire, body)
    expect(gateway.activity().costUsd).toBe(0)
    await lease.endAnswers()
    await new Promise((resolve) => response.on('error', resolve).once('close', resolve))
    await expect.poll(() => gateway.activity().costUsd).toBeGreaterThan(0)
    const spent = gateway.activity().costUsd
    expect(spent).toBeLessThan(0.01)
    await expect(send(lease, wire, body)).rejects.toThrow()
    expect((await lease.finish()).meter.costUsd).toBe(spent)
  })
})

function asImage(data: string): { readonly type: string; readonly source: object } {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
}

test('an image costs as 2,000 tokens, whatever its bytes', async () => {
  const { upstream, open } = await attack((request) => answerAll(request))
  const data = 'iVBORw0KGgo'.repeat(100_000)
  const image = asImage(data)
  const lease = await open()
  const ask = (content: readonly object[]): ReturnType<typeof send> =>
    send(lease, 'anthropic-messages', {
      model: 'claude-sonnet-5',
      max_tokens: 10,
      messages: [{ role: 'user', content }],
    })
  expect((await ask([image, image])).status).toBe(200)
  expect(upstream.requests).toHaveLength(1)
})

test('what is kept for an hour costs twice the price of the input', async () => {
  const { gateway, open } = await attack(() => ({
    body: JSON.stringify({
      type: 'message',
      model: 'claude-sonnet-5',
      content: [],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 1e6,
        cache_creation: { ephemeral_1h_input_tokens: 900_000, ephemeral_5m_input_tokens: 100_000 },
      },
    }),
  }))
  const lease = await open()
  const text = { type: 'text', text: 'word '.repeat(300_000), cache_control: { type: 'ephemeral', ttl: '1h' } }
  const body = { model: 'claude-sonnet-5', max_tokens: 10, messages: [{ role: 'user', content: [text] }] }
  expect((await send(lease, 'anthropic-messages', body)).status).toBe(200)
  // At $2 for a million tokens, of which 900,000 cost twice as much.
  expect(gateway.activity().costUsd).toBeCloseTo(0.9 * 4 + 0.1 * 2.5)
  expect((await lease.meter()).costUsd).toBeCloseTo(3.85)
})

test('an API that changes the protocol costs nothing', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { gateway, open } = await startBefore(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    maxCostUsd: 0.2,
  })
  const lease = await open()
  const body = { ...requestOf('anthropic-messages', 'claude-sonnet-5', 'a'), max_tokens: 15_000 }
  for (let n = 0; n < 5; n += 1) expect((await send(lease, 'anthropic-messages', body)).status).toBe(502)
  expect(gateway.activity().costUsd).toBe(0)
})

test('the first request of a hook that is too large keeps no other case from running', async () => {
  const { open } = await attack((request) => answerAll(request, 'claude-sonnet-5'))
  const hooked = await open('anthropic-messages', { caseId: 'hook' })
  const huge = requestOf('anthropic-messages', 'claude-opus-4-8', 'one two '.repeat(400_000))
  expect((await send(hooked, 'anthropic-messages', huge)).body).toMatch(
    /the next request costs \$5\.\d+ before its answer/,
  )
  await hooked.release()
  for (const caseId of ['a', 'b', 'c']) {
    const lease = await open('anthropic-messages', { caseId })
    expect(
      (await send(lease, 'anthropic-messages', requestOf('anthropic-messages', 'claude-sonnet-5', 'a'))).status,
    ).toBe(200)
    await lease.release()
  }
})

function own(wire: WireName): string {
  return {
    'anthropic-messages': 'max_tokens',
    'openai-responses': 'max_output_tokens',
    'openai-chat': 'max_completion_tokens',
  }[wire]
}

function limitOf(wire: WireName, tokens: number): object {
  return { max_tokens: undefined, max_output_tokens: undefined, [own(wire)]: tokens }
}

/** An answer that ends at the limit of its request. */
function cutAnswer(wire: WireName, asked: Readonly<Record<string, unknown>>): ReturnType<typeof answerAll> {
  const whole = bodyOf(answerAll({ target: pathOf(wire) }, MODELS[wire], Number(asked[own(wire)])) as { body: string })
  const cut = {
    'anthropic-messages': { stop_reason: 'max_tokens' },
    'openai-responses': { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    'openai-chat': {
      choices: [{ index: 0, message: { role: 'assistant', content: 'do' }, finish_reason: 'length' }],
    },
  }[wire]
  return { body: JSON.stringify({ ...whole, ...cut }) }
}

/** The beginning of a stream that never ends. */
async function* begin(wire: WireName): AsyncGenerator<string> {
  const usage = { input_tokens: 10, output_tokens: 1, prompt_tokens: 10, completion_tokens: 1 }
  const first = {
    'anthropic-messages': { type: 'message_start', message: { model: MODELS[wire], usage } },
    'openai-responses': { type: 'response.created', response: { model: MODELS[wire], status: 'in_progress', usage } },
    'openai-chat': { model: MODELS[wire], choices: [], usage },
  }[wire]
  yield `data: ${JSON.stringify(first)}\n\n`
  await new Promise(() => {})
}

/** A stream that ends a moment later, with what it used. */
async function* endLater(wire: WireName, usage: object): AsyncGenerator<string> {
  yield String((await begin(wire).next()).value)
  await sleep(200)
  const last: readonly object[] = {
    'anthropic-messages': [{ type: 'message_delta', delta: {}, usage }, { type: 'message_stop' }],
    'openai-responses': [{ type: 'response.completed', response: { status: 'completed', output: [], usage } }],
    'openai-chat': [
      { model: MODELS[wire], choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { model: MODELS[wire], choices: [], usage },
    ],
  }[wire]
  for (const event of last) yield `data: ${JSON.stringify(event)}\n\n`
  if (wire === 'openai-chat') yield 'data: [DONE]\n\n'
}

async function startReading(lease: AcquiredLease, wire: WireName, body: object): Promise<IncomingMessage> {
  const { socket, token } = lease.grant
  const request = httpRequest({
    socketPath: socket,
    method: 'POST',
    path: pathOf(wire),
    headers: { 'x-api-key': token },
  })
  request.on('error', () => {})
  request.end(JSON.stringify(body))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  await once(response, 'data')
  return response
}

async function hangUp(lease: AcquiredLease, wire: WireName, body: object): Promise<void> {
  const response = await startReading(lease, wire, body)
  response.destroy()
}
