import { expect, test } from 'vitest'
import { priceOf } from '../../../../src/gateway/budget/price.ts'

const usage = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

test('prices each kind of token by the model’s list price', () => {
  const price = (part: Partial<typeof usage>): number | null =>
    priceOf('claude-opus-4-5', { ...usage, inputTokens: 0, ...part }, 'anthropic-messages')
  expect(price({ inputTokens: 1_000_000 })).toBeCloseTo(5)
  expect(price({ outputTokens: 1_000_000 })).toBeCloseTo(25)
  expect(price({ cacheReadTokens: 1_000_000 })).toBeCloseTo(0.5)
  expect(price({ cacheWriteTokens: 1_000_000 })).toBeCloseTo(6.25)
})

test('a dated name is the same model', () => {
  expect(priceOf('claude-opus-4-5-20251101', usage, 'anthropic-messages')).toBeCloseTo(5)
  expect(priceOf('gpt-5.5', usage, 'openai-responses')).not.toBeNull()
  // As Copilot writes it.
  expect(priceOf('claude-opus-4.5', usage, 'anthropic-messages')).toBeCloseTo(5)
  expect(priceOf('claude-sonnet-4.6', usage, 'anthropic-messages')).toBeCloseTo(3)
})

test('a model that is not in the table has no price, however similar its name', () => {
  expect(priceOf('claude-opus-4-5-turbo', usage, 'anthropic-messages')).toBeNull()
  expect(priceOf('claude-opus-99', usage, 'anthropic-messages')).toBeNull()
  expect(priceOf('scenario', usage, 'anthropic-messages')).toBeNull()
  expect(priceOf(null, usage, 'anthropic-messages')).toBeNull()
})
