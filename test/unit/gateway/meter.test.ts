import { expect, test } from 'vitest'
import { createMeter } from '../../../src/gateway/meter.ts'

const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 }
const overloaded = { code: 'upstream-failed', message: 'overloaded' } as const

test('adds up what the API counted; a price is not known', () => {
  const meter = createMeter('live')
  meter.answered('main', { model: 'one', usage })
  meter.answered('main', { model: 'two', usage })
  meter.answered('main', { model: null, usage: null })
  expect(meter.reading()).toEqual({
    requests: 3,
    usage: { inputTokens: 2, outputTokens: 4, cacheReadTokens: 6, cacheWriteTokens: 8 },
    model: 'two',
    costUsd: null,
    problems: [],
  })
})

test('nothing asked is nothing spent', () => {
  expect(createMeter('live').reading()).toEqual({ requests: 0, usage: null, model: null, costUsd: 0, problems: [] })
  expect(createMeter('scenario').reading().costUsd).toBe(0)
})

test('a failure is forgiven by an answer in its own lane only', () => {
  const meter = createMeter('live')
  meter.failed('main', overloaded, false)
  meter.failed('main', overloaded, false)
  meter.failed('side:hook', { ...overloaded, message: 'hook' }, false)
  expect(meter.reading().problems.map((problem) => problem.message)).toEqual(['overloaded', 'hook'])
  meter.answered('main', { model: 'm', usage: null })
  expect(meter.reading().problems.map((problem) => problem.message)).toEqual(['hook'])
})

test('a final failure stays', () => {
  const meter = createMeter('live')
  meter.failed('main', overloaded, true)
  meter.problem({ code: 'unexpected-request', message: 'GET /x' })
  meter.answered('main', { model: 'm', usage: null })
  expect(meter.reading().problems.map((problem) => problem.code)).toEqual(['upstream-failed', 'unexpected-request'])
})
