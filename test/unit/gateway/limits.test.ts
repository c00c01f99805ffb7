import { expect, test, vi } from 'vitest'
import { createAnswerLimit } from '../../../src/gateway/answer-limit.ts'
import { createLoads } from '../../../src/gateway/load.ts'
import { createRateLimiter, PATIENCE_MS } from '../../../src/gateway/rate-limiter.ts'
import { createEventReader } from '../../../src/gateway/wires/server-events.ts'

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
  expect(await push(true, lines, 40)).toBe('passed')
  expect(await push(false, line, 40)).toBe('passed')
  expect(await push(false, lines, 49)).toBe('it is larger than 48 MiB')
})

test('a line in any number of pieces is one event', () => {
  const events: unknown[] = []
  const chunk = createEventReader((event) => events.push(event))
  for (const byte of Buffer.from('data: {"é":1}\n\ndata: {"b":2}\n')) chunk(Buffer.from([byte]))
  expect(events).toEqual([{ é: 1 }, { b: 2 }])
})

test('a lease has a limit of open requests and of bytes, and others keep their share', () => {
  const open = createLoads()
  const [hostile, innocent] = [open(), open()]
  const entered = Array.from({ length: 40 }, () => hostile.enter())
  expect(entered.filter((one) => one !== null)).toHaveLength(32)
  expect([entered[0]?.grow(32 * MIB), entered[1]?.grow(1)]).toEqual([true, false])
  expect(innocent.enter()?.grow(MIB)).toBe(true)
  for (const one of entered) one?.leave()
  expect(hostile.enter()?.grow(MIB)).toBe(true)
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
