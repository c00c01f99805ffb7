import { expect, test } from 'vitest'
import { describeUnpriced, hasPrice, priceOf, resolveAlias } from '../../../src/gateway/budget/price.ts'
import { requirePrice } from '../../../src/case/prepare/resolve-engine.ts'

const million = { inputTokens: 1e6, outputTokens: 1e6, cacheReadTokens: 1e6, cacheWriteTokens: 0 }

test('a model that the table lists by this id has a price, and one that only begins alike has none', () => {
  const openai = ['gpt-5', 'gpt-5.2-codex', 'gpt-5-2026-04-15', 'gpt-5-nonsense-9']
  expect(openai.map((model) => hasPrice(model, 'openai-chat'))).toEqual([true, true, true, false])
  const anthropic = ['claude-sonnet-4-20250514', 'claude-sonnet-4-5', 'sonnet', 'claude-opus', 'claude-upstream-1']
  expect(anthropic.map((model) => hasPrice(model, 'anthropic-messages'))).toEqual([true, true, true, true, false])
})

test('an alias is the newest model of its family that has a price, or one that the configuration prices', () => {
  const aliases = ['haiku', 'sonnet', 'opus', 'claude-haiku', 'claude-opus-4-5', 'house-1']
  const resolved = aliases.map((name) => resolveAlias(name, {}))
  for (const model of resolved.slice(0, 5)) expect(hasPrice(model, 'anthropic-messages')).toBe(true)
  expect(resolved[0]).toMatch(/^claude-haiku-\d/)
  expect(resolved.slice(3)).toEqual([resolved[0], 'claude-opus-4-5', 'house-1'])
  expect(resolveAlias('haiku', { 'claude-haiku-99': { input: 1, output: 5 } })).toBe('claude-haiku-99')
})

test('prices of the configuration come before the table', () => {
  const prices = { 'house-1': { input: 2, output: 10, cacheRead: 0.5 }, 'claude-sonnet-4-5': { input: 0, output: 0 } }
  expect(priceOf('house-1', million, 'openai-chat', prices)).toBe(12.5)
  expect(priceOf('house-1-20260101', million, 'openai-chat', prices)).toBe(12.5)
  expect(priceOf('claude-sonnet-4-5', million, 'anthropic-messages', prices)).toBe(0)
})

test('a model without a price is refused by name, unless that is allowed', () => {
  const asked = { model: 'house-1', wire: 'openai-chat' } as const
  expect(describeUnpriced([asked, { ...asked, model: 'gpt-5' }], {})).toBe(
    'the budget cannot be enforced: no price for house-1',
  )
  expect(() => requirePrice(asked, { prices: {}, allowUnknownCost: false })).toThrow(
    'prices: { "house-1": { input: INPUT, output: OUTPUT } }',
  )
  requirePrice(asked, { prices: {}, allowUnknownCost: true })
  requirePrice(asked, { prices: { 'house-1': { input: 1, output: 1 } }, allowUnknownCost: false })
})
