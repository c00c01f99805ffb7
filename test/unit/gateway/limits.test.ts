import { expect, test, vi } from 'vitest'
import { PATIENCE_MS, createRateLimiter } from '../../../src/gateway/rate-limiter.ts'
import { readAnthropicAnswer } from '../../../src/gateway/wires/anthropic-reader.ts'
import { readChatAnswer } from '../../../src/gateway/wires/openai-chat-reader.ts'
import { createEventReader } from '../../../src/gateway/wires/wire.ts'

const MIB = 1024 * 1024

const HUGE = [4_294_967_294, -1, 0.5, 1e300, 2 ** 53]

test('the index of a part makes nothing grow', () => {
  const anthropic = readAnthropicAnswer(200, 'text/event-stream')
  const chat = readChatAnswer(200, 'text/event-stream')
  const send = (reader: typeof chat, ...events: readonly object[]): void =>
    reader.chunk(Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')))
  send(anthropic, { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: -5 } } })
  for (const index of HUGE) {
    send(anthropic, { type: 'content_block_start', index, content_block: { type: 'text', text: `${index}` } })
    send(chat, { choices: [{ delta: { tool_calls: [{ index, id: `${index}`, function: { name: 'f' } }] } }] })
  }
  send(anthropic, { type: 'message_stop' })
  send(chat, { choices: [{ finish_reason: 'tool_calls', delta: {} }] })
  const inOrder = HUGE.toSorted((left, right) => left - right).map(String)
  expect(anthropic.whole()).toMatchObject({
    content: inOrder.map((text) => ({ text })),
    usage: { inputTokens: 0 },
  })
  expect(chat.whole()?.content).toMatchObject(inOrder.map((id) => ({ id })))
})

test('an event in any number of pieces and lines is one event', () => {
  const events: unknown[] = []
  const chunk = createEventReader((event) => events.push(event))
  const lines = [
    'data: {"é":1}',
    '',
    'event: two\r',
    'data: {"b":\r',
    'data: 2}\r',
    '\r',
    ': comment',
    '',
    'data: [DONE]',
    '',
  ]
  for (const byte of Buffer.from(`${lines.join('\n')}\ndata: {"cut":1}\n`)) chunk(Buffer.from([byte]))
  expect(events).toEqual([{ é: 1 }, { b: 2 }, {}])
})

test('a long line in many pieces is one event', () => {
  const events: unknown[] = []
  const chunk = createEventReader((event) => events.push(event))
  const piece = Buffer.from('x'.repeat(64))
  chunk(Buffer.from('data: {"a":"'))
  for (let n = 0; n < MIB / 8; n += 1) chunk(piece)
  chunk(Buffer.from('"}\n\n'))
  expect(events).toEqual([{ a: 'x'.repeat(8 * MIB) }])
})

test('an absurd wait is cut to the patience of a request, and one that is passed back moves no other', async () => {
  vi.useFakeTimers()
  try {
    const limiter = createRateLimiter(() => Date.now())
    const { signal } = new AbortController()
    const first = await limiter.enter(signal, {})
    first.passedBack()
    const second = await limiter.enter(signal, {})
    second.refused(1e300, 'slow down')
    const third = limiter.enter(signal, {})
    await vi.advanceTimersByTimeAsync(PATIENCE_MS + 10_000)
    await expect(third).resolves.toBeDefined()
  } finally {
    vi.useRealTimers()
  }
})

test('a refusal pauses the API for all, and a session with many requests does not keep the others from it', async () => {
  vi.useFakeTimers()
  try {
    const limiter = createRateLimiter(() => Date.now())
    const { signal } = new AbortController()
    const order: string[] = []
    const busy = {}
    const enter = async (name: string, session: object): Promise<void> => {
      const turn = await limiter.enter(signal, session)
      order.push(name)
      await new Promise((resolve) => setTimeout(resolve, 1000))
      turn.took()
    }
    const first = await limiter.enter(signal, {})
    first.refused(5000, 'slow down')
    const all = [
      ...Array.from({ length: 100 }, () => enter('busy', busy)),
      ...['a', 'b', 'c'].map((name) => enter(name, {})),
    ]
    await vi.advanceTimersByTimeAsync(4900)
    expect(order).toEqual([])
    expect(limiter.refusals()).toMatchObject({ times: 1, message: 'slow down' })
    await vi.advanceTimersByTimeAsync(200)
    expect(order.slice(0, 4)).toEqual(['busy', 'a', 'b', 'c'])
    await vi.advanceTimersByTimeAsync(60_000)
    await Promise.all(all)
    expect(limiter.refusals()).toBeNull()
  } finally {
    vi.useRealTimers()
  }
})

test('an API that names no time is paused twice as long with each refusal, and once for those under way', async () => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(1)
  try {
    const limiter = createRateLimiter(() => Date.now())
    const { signal } = new AbortController()
    const waits: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const turns = await Promise.all([limiter.enter(signal, {}), limiter.enter(signal, {})])
      for (const turn of turns) turn.refused(null, 'slow down')
      const before = Date.now()
      const waited = limiter.enter(signal, {}).then((turn) => {
        turn.passedBack()
        return Date.now() - before
      })
      await vi.advanceTimersByTimeAsync(20_000)
      waits.push(Math.round((await waited) / 1000))
    }
    expect(waits).toEqual([1, 2, 4])
  } finally {
    vi.restoreAllMocks()
    vi.useRealTimers()
  }
})
