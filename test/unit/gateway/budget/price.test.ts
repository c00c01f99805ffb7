import { expect, test } from 'vitest'
import { priceOf, resolveAlias } from '../../../../src/gateway/budget/price.ts'

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

test('the mark of a longer context changes no price; a long request does', () => {
  const used = (inputTokens: number): Parameters<typeof priceOf>[1] => ({ ...usage, inputTokens })
  const price = (model: string, tokens: number): number | null => priceOf(model, used(tokens), 'anthropic-messages')
  expect([price('claude-sonnet-4-5[1m]', 1e5), price('claude-sonnet-4-5[1m]', 3e5)]).toEqual([0.3, 1.8])
  expect(price('claude-sonnet-4-5', 3e5)).toBe(1.8)
  expect(priceOf('house[1m]', used(1e6), 'anthropic-messages', { house: { input: 3, output: 1 } })).toBe(3)
  expect(resolveAlias('haiku[1m]')).toBe(resolveAlias('haiku'))
})

test('a model that is not in the table has no price, however similar its name', () => {
  expect(priceOf('claude-opus-4-5-turbo', usage, 'anthropic-messages')).toBeNull()
  expect(priceOf('claude-opus-99', usage, 'anthropic-messages')).toBeNull()
  expect(priceOf('scenario', usage, 'anthropic-messages')).toBeNull()
  expect(priceOf(null, usage, 'anthropic-messages')).toBeNull()
})
