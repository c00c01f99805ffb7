import { expect, test } from 'vitest'
import { chooseJudge, isSelfJudged } from '../../../src/judges/choose.ts'
import { hasPrice } from '../../../src/gateway/budget/price.ts'
import { claudeCodeAlias, resolveFamily } from '../../../src/judges/providers/provider.ts'

const agent = { engine: 'claude-code', model: 'claude-opus-5-5', modelAsked: null }

test.for([
  [null, 'api-key', { provider: 'anthropic', model: 'claude-opus-5-5', isDefault: true }],
  [null, null, { provider: 'anthropic', model: 'claude-opus-5-5', isDefault: true }],
  [null, 'oauth', { provider: 'claude-code', model: 'claude-opus-5-5', isDefault: true }],
  ['claude-sonnet', 'api-key', { provider: 'anthropic', model: 'claude-sonnet', isDefault: false }],
  ['claude-sonnet', 'oauth', { provider: 'claude-code', model: 'claude-sonnet', isDefault: false }],
  ['anthropic:claude-haiku-5-5', 'oauth', { provider: 'anthropic', model: 'claude-haiku-5-5', isDefault: false }],
  ['gpt-6', 'oauth', { provider: 'openai', model: 'gpt-6', isDefault: false }],
  ['moonshot/kimi-k3', 'api-key', { provider: 'openai', model: 'moonshot/kimi-k3', isDefault: false }],
  ['openai:my-own', 'api-key', { provider: 'openai', model: 'my-own', isDefault: false }],
  ['claude-code:opus', 'api-key', { provider: 'claude-code', model: 'opus', isDefault: false }],
] as const)('the judge %j with the credential %j is %j', ([asked, credential, chosen]) => {
  expect(chooseJudge(asked, agent, credential)).toEqual(chosen)
})

test.for([
  ['bedrock:claude', 'invalid-options', 'names the provider "bedrock"'],
  ['anthropic:', 'invalid-options', 'names no model'],
] as const)('the judge %j is refused as %s', ([asked, code, message]) => {
  expect(() => chooseJudge(asked, agent, null)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  )
})

test.for([
  ['claude-code', 'house-model-1', 'api-key', 'anthropic'],
  ['claude-code', 'house-model-1', 'oauth', 'claude-code'],
  ['codex', 'claude-by-proxy', 'api-key', 'openai'],
  ['messages', 'house-model-1', 'api-key', 'openai'],
  ['copilot', 'claude-sonnet-4.5', 'api-key', 'anthropic'],
  ['codex', 'scenario', null, 'anthropic'],
  ['an-own-engine', 'claude-sonnet-5', 'api-key', 'anthropic'],
] as const)("%s's own model %s judges over the API of its engine", ([engine, modelAsked, credential, provider]) => {
  expect(chooseJudge(null, { engine, model: null, modelAsked }, credential)).toMatchObject({ provider })
})

test.for([
  ['claude-sonnet-4-5[1m]', 'claude-sonnet-4-5'],
  ['sonnet[1m]', 'claude-opus-5-5'],
] as const)('an agent that is asked for %s is judged by %s', ([modelAsked, model]) => {
  expect(chooseJudge(null, { ...agent, modelAsked }, 'api-key')).toMatchObject({ model })
  const choice = { provider: 'anthropic', model: 'claude-sonnet-4-5', isDefault: false }
  expect(isSelfJudged(choice, { model: null, modelAsked }, null, false)).toBe(model === choice.model)
})

test('a scenario judges what a scenario answered, whatever model was asked for', () => {
  const run = { engine: 'codex', model: 'scenario', modelAsked: 'gpt-5.5' }
  expect(chooseJudge(null, run, null)).toMatchObject({ model: 'scenario', isDefault: true })
})

test('without any model there is no judge', () => {
  expect(() => chooseJudge(null, { ...agent, model: null }, null)).toThrow('Set `judge`')
})

test.for([
  ['nobody chose', { model: 'm', isDefault: true }, null, false, true],
  ['the same id', { model: 'claude-opus-5-5', isDefault: false }, 'claude-opus-5-5', false, true],
  [
    'a family that turns out to be the same',
    { model: 'claude-opus', isDefault: false },
    'claude-opus-5-5',
    false,
    true,
  ],
  ['another model', { model: 'claude-sonnet', isDefault: false }, 'claude-sonnet-5-5', false, false],
  ['a scenario in the name of another', { model: 'claude-sonnet', isDefault: false }, 'claude-opus-5-5', true, false],
] as const)('J8: self-judged when %s', ([, choice, answered, isScenario, expected]) => {
  expect(isSelfJudged({ provider: 'anthropic', ...choice }, agent, answered, isScenario)).toBe(expected)
})

test('a family is its newest listed member, else the newest that is known', () => {
  const listed = [
    { id: 'claude-opus-4-8', created_at: '2026-01-01T00:00:00Z' },
    { id: 'claude-sonnet-6', created_at: '2026-12-01T00:00:00Z' },
    { id: 'claude-opus-6', created_at: '2026-11-01T00:00:00Z' },
  ]
  expect(resolveFamily('claude-opus', listed)).toBe('claude-opus-4-8')
  expect(resolveFamily('claude-haiku', listed)).toBe('claude-haiku-4-5')
  expect(hasPrice(resolveFamily('claude-sonnet', []), 'anthropic-messages')).toBe(true)
  expect([claudeCodeAlias('claude-sonnet'), claudeCodeAlias('claude-sonnet-5-5')]).toEqual([
    'sonnet',
    'claude-sonnet-5-5',
  ])
})
