import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { createAnswerLimit } from '../../../src/gateway/mask.ts'
import { createLoads } from '../../../src/gateway/leases/leases.ts'
import { PATIENCE_MS, createRateLimiter } from '../../../src/gateway/pace.ts'
import { parseJson } from '../../../src/gateway/body.ts'
import { readAnthropicAnswer } from '../../../src/gateway/wires/anthropic-reader.ts'
import { readChatAnswer } from '../../../src/gateway/wires/openai-chat-reader.ts'
import { createEventReader } from '../../../src/gateway/wires/wire.ts'

const MIB = 1024 * 1024

test('an answer may not have an endless line, nor be endless', async () => {
  const push = (isStream: boolean, chunk: Buffer, times: number): Promise<string> =>
    new Promise((resolve) => {
      const limit = createAnswerLimit(isStream)
      limit
        .on('error', (error) => resolve(error.message))
        .on('end', () => resolve('passed'))
        .resume()
      for (let n = 0; n < times && !limit.destroyed; n += 1) limit.write(chunk)
      limit.end()
    })
  const line = Buffer.alloc(MIB, 'x')
  const lines = Buffer.from(`${'x'.repeat(MIB - 1)}\n`)
  expect(await push(true, line, 9)).toBe('it has a line of more than 8 MiB')
  expect(await push(true, lines, 20)).toBe('passed')
  expect(await push(true, lines, 21)).toBe('it is larger than 20 MiB')
  expect(await push(false, line, 16)).toBe('passed')
  expect(await push(false, lines, 17)).toBe('it is larger than 16 MiB')
})

test('an answer may not have endless events, nor more bytes than there is room for', async () => {
  const limit = createAnswerLimit(true)
  const failed = once(limit, 'error')
  limit.resume()
  for (let n = 0; n < 30; n += 1) limit.write(Buffer.from('data:\n\n'.repeat(10_001)))
  expect((await failed).map(String)).toEqual(['Error: it has more than 600000 lines of events'])
  const full = createAnswerLimit(false, () => false)
  const refused = once(full, 'error')
  full.write('x')
  expect((await refused).map(String)).toEqual(['Error: its session has more open answers than fit into memory'])
})

test('what holds more values than any message is not parsed', () => {
  const values = (count: number): string => `{"a":[${'[],'.repeat(count)}0]}`
  expect(parseJson(values(100_000))).toBeDefined()
  expect(parseJson(values(300_000))).toBeUndefined()
  // In a text they are no values.
  expect(parseJson(JSON.stringify(values(300_000)))).toBeDefined()
})

const HUGE = [4_294_967_294, -1, 0.5, 1e300, 2 ** 53]

test('the index of a part makes nothing grow', () => {
  const anthropic = readAnthropicAnswer('text/event-stream')
  const chat = readChatAnswer('text/event-stream')
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
  expect(anthropic.end()).toMatchObject({
    content: inOrder.map((text) => ({ text })),
    usage: { inputTokens: 0 },
  })
  expect(chat.end()?.content).toMatchObject(inOrder.map((id) => ({ id })))
})

test('fields that an API adds in every event make nothing slower', () => {
  const chat = readChatAnswer('text/event-stream')
  const anthropic = readAnthropicAnswer('text/event-stream')
  const lines = Array.from(
    { length: 50_000 },
    (_, n) => `data: {"type":"message_delta","delta":{"d${n}":1},"f${n}":1}\n\n`,
  )
  for (const reader of [chat, anthropic]) reader.chunk(Buffer.from(lines.join('')))
  expect([chat.end(), anthropic.end()]).toEqual([null, null])
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

test('a lease has a limit of open requests and of bytes, and others keep their share', () => {
  const open = createLoads()
  const none = (): number => 0
  const [hostile, innocent] = [open(none), open(none)]
  const entered = Array.from({ length: 40 }, () => hostile.enter())
  expect(entered.filter((one) => one !== null)).toHaveLength(32)
  expect([entered[0]?.grow(24 * MIB), entered[1]?.grow(1)]).toEqual([true, false])
  expect(innocent.enter()?.grow(MIB)).toBe(true)
  for (const one of entered) one?.leave()
  // Its case is errored: what else it sends would only fill the memory.
  expect([hostile.isShut(), hostile.enter(), innocent.isShut()]).toEqual([true, null, false])
})

test('a lease takes more requests than any session has, but not without end', () => {
  const load = createLoads()(() => 0)
  const entered = Array.from({ length: 10_001 }, () => {
    const opened = load.enter()
    opened?.leave()
    return opened !== null
  })
  expect([entered.indexOf(false), entered.length]).toEqual([10_000, 10_001])
})

test('a lease whose answer was too large takes nothing more', () => {
  const load = createLoads()(() => 0)
  const opened = load.enter()
  load.shut()
  expect([load.isShut(), opened?.grow(1), load.enter()]).toEqual([true, false, null])
})

test('all leases together have a limit of bytes, and each has its share whatever the others hold', () => {
  const open = createLoads()
  const leases = Array.from({ length: 64 }, () => open(() => 0))
  const takes = (index: number, bytes: number): boolean | undefined => leases[index]?.enter()?.grow(bytes)
  expect([takes(0, 24 * MIB), takes(1, 24 * MIB), takes(2, 5 * MIB)]).toEqual([true, false, false])
  expect(leases.slice(3).map((_, index) => takes(index + 3, 4 * MIB))).not.toContain(false)
  // Who was refused for the sake of others may ask again.
  expect(leases.some((lease) => lease.isShut())).toBe(false)
})

test('a conversation counts for as long as its lease is open', () => {
  const open = createLoads()
  let size = 0
  const talker = open(() => size)
  const other = open(() => 0)
  const first = talker.enter()
  size = 9 * MIB
  first?.leave()
  expect(talker.enter()).toBeNull()
  expect(other.enter()?.grow(MIB)).toBe(true)
  size = 25 * MIB
  expect(talker.enter()).toBeNull()
  expect(other.enter()?.grow(20 * MIB)).toBe(false)
  talker.close()
  expect(other.enter()?.grow(MIB)).toBe(true)
})

test('an absurd wait is cut to the patience of a request, and one that is passed back moves no other', async () => {
  vi.useFakeTimers()
  try {
    const limiter = createRateLimiter(() => Date.now())
    const { signal } = new AbortController()
    const first = await limiter.enter(signal)
    first.passedBack()
    const second = await limiter.enter(signal)
    second.refused(1e300, 'slow down')
    const third = limiter.enter(signal)
    await vi.advanceTimersByTimeAsync(PATIENCE_MS + 10_000)
    await expect(third).resolves.toBeDefined()
  } finally {
    vi.useRealTimers()
  }
})
