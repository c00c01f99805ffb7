import { expect, test } from 'vitest'
import { createAllowedModels } from '../../../../src/gateway/leases/lease.ts'
import type { AnswerBlock } from '../../../../src/recordings/messages.ts'

test.for([
  { own: 'claude-sonnet-4-5', named: [], asked: 'claude-sonnet-4-5', may: true },
  { own: 'claude-sonnet-4-5', named: [], asked: 'claude-sonnet-4-5-20250929', may: true },
  { own: 'claude-sonnet-4-5', named: [], asked: 'claude-sonnet-4.5[1m]', may: true },
  { own: 'claude-sonnet-4-5', named: [], asked: 'claude-sonnet-4-6', may: false },
  { own: 'claude-sonnet-4-5', named: [], asked: 'claude-opus-4-1', may: false },
  { own: 'claude-sonnet-4-5', named: ['haiku'], asked: 'claude-haiku-4-5', may: true },
  { own: 'claude-sonnet-4-5', named: ['haiku'], asked: 'claude-3-5-haiku-20241022', may: true },
  { own: 'claude-sonnet-4-5', named: ['claude-haiku-4-5'], asked: 'claude-3-5-haiku-20241022', may: false },
  { own: 'claude-sonnet-4-5', named: ['opusplan'], asked: 'claude-opus-4-6', may: true },
  { own: 'gpt-5', named: [], asked: 'gpt-5-pro', may: false },
  { own: 'gpt-5', named: ['gpt-5-nano'], asked: 'gpt-5-nano', may: true },
  { own: 'gpt-5', named: ['inherit'], asked: 'gpt-5-mini', may: false },
  { own: 'gpt-5', named: [], asked: '', may: false },
])('$own with $named: $asked is allowed: $may', ({ own, named, asked, may }) => {
  expect(createAllowedModels({ own, named }).allows(asked)).toBe(may)
})

test('without a model of its own, the first that a run asks is its own', () => {
  const models = createAllowedModels({ own: null, named: [] })
  expect(['claude-opus-4-1', 'claude-opus-4-1', 'claude-sonnet-4-5'].map(models.allows)).toEqual([true, true, false])
  expect(models.list()).toBe('claude-opus-4-1')
})

test('without rules every model may be asked', () => {
  expect(createAllowedModels(null).allows('anything')).toBe(true)
})

test('a call that starts a sub-agent names its model, and no other call does', () => {
  const models = createAllowedModels({ own: 'gpt-5', named: [] })
  const inputs: readonly (readonly [name: string, model: number | string])[] = [
    ['Agent', 'opus'],
    ['multi_agent_v1.spawn_agent', 'gpt-5-mini'],
    ['Bash', 'gpt-5-pro'],
    ['Task', 7],
  ]
  models.learn({
    content: inputs.map(
      ([name, model]) => ({ kind: 'tool-call', id: name, name, input: { model } }) satisfies AnswerBlock,
    ),
  })
  expect(['claude-opus-4-1', 'gpt-5-mini', 'gpt-5-pro'].map(models.allows)).toEqual([true, true, false])
})
