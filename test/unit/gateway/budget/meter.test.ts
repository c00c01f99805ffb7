import { expect, test } from 'vitest'
import { createMeter } from '../../../../src/gateway/budget/meter.ts'

const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 }
const overloaded = { code: 'upstream-failed', message: 'overloaded' } as const

test('adds up what the API counted; a price is not known', () => {
  const meter = createMeter()
  for (const model of ['one', 'two', null]) meter.answered('main', { model })
  for (const used of [usage, usage, null]) meter.spent(null, used)
  expect(meter.reading()).toEqual({
    requests: 3,
    usage: { inputTokens: 2, outputTokens: 4, cacheReadTokens: 6, cacheWriteTokens: 8 },
    model: 'two',
    costUsd: null,
    problems: [],
  })
})

test('an answer that is cut off at its limit of tokens is a problem unless its thread goes on', () => {
  const meter = createMeter()
  const answer = { model: 'm' }
  meter.answered('side:quota', { ...answer, stopReason: 'max-tokens' })
  expect(meter.reading().problems).toEqual([])
  for (const thread of ['main', 'agent:a#0']) meter.answered(thread, { ...answer, stopReason: 'max-tokens' })
  meter.answered('side:title', answer)
  expect(meter.reading().problems.map(({ code }) => code)).toEqual(['max-tokens', 'max-tokens'])
  for (const thread of ['main', 'agent:a#0']) meter.answered(thread, { ...answer, stopReason: 'end-turn' })
  expect(meter.reading().stopReason).toBe('end-turn')
  expect(meter.reading()).toMatchObject({ problems: [], requests: 6 })
})

test('adds up what was charged, also without tokens, and knows nothing once a charge is unknown', () => {
  const meter = createMeter()
  expect(meter.reading()).toMatchObject({ usage: null, costUsd: 0 })
  meter.spent(5, usage)
  meter.spent(1, null)
  expect(meter.reading()).toMatchObject({ usage, costUsd: 6 })
  meter.spent(null, usage)
  meter.spent(1, usage)
  expect(meter.reading().costUsd).toBeNull()
})

test('says how long the oldest request waits, for what, and what the API says meanwhile', () => {
  let now = 1000
  let refused: string | null = null
  const meter = createMeter(() => now)
  const asked = (thread: string): void => meter.asked(thread, () => refused)
  asked('main')
  now += 500
  asked('agent')
  asked('main')
  now += 500
  refused = 'The API answered 429'
  expect(meter.reading().waits).toEqual({ ms: 1000, for: 'start', refused })
  meter.progressed('main')
  expect(meter.reading().waits).toEqual({ ms: 500, for: 'start', refused })
  meter.settled('agent')
  now += 200
  expect(meter.reading().waits).toEqual({ ms: 200, for: 'rest', refused: null })
  meter.settled('main')
  expect(meter.reading()).not.toHaveProperty('waits')
})

test('a request that was hung up on has waited until then, and is forgotten when another one is asked', () => {
  let now = 0
  const meter = createMeter(() => now)
  meter.asked('main', () => null)
  now += 2000
  meter.left('main')
  now += 60_000
  expect(meter.reading().waits).toEqual({ ms: 2000, for: 'start', refused: null })
  meter.asked('agent', () => null)
  meter.settled('agent')
  expect(meter.reading()).not.toHaveProperty('waits')
})

test('nothing asked is nothing spent', () => {
  expect(createMeter().reading()).toEqual({ requests: 0, usage: null, model: null, costUsd: 0, problems: [] })
})

test('a failure is forgiven by an answer in its own thread only', () => {
  const meter = createMeter()
  meter.failed('main', overloaded, false)
  meter.failed('main', overloaded, false)
  meter.failed('side:hook', { ...overloaded, message: 'hook' }, false)
  expect(meter.reading().problems.map((problem) => problem.message)).toEqual(['overloaded', 'hook'])
  meter.answered('main', { model: 'm' })
  expect(meter.reading().problems.map((problem) => problem.message)).toEqual(['hook'])
})

test('a final failure stays', () => {
  const meter = createMeter()
  meter.failed('main', overloaded, true)
  meter.problem({ code: 'unexpected-request', message: 'GET /x' })
  meter.answered('main', { model: 'm' })
  expect(meter.reading().problems.map((problem) => problem.code)).toEqual(['upstream-failed', 'unexpected-request'])
})
