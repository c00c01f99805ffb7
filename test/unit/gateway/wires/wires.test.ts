import { expect, test } from 'vitest'
import { priceOf } from '../../../../src/gateway/budget/price.ts'
import { findRoute, modelIn, pathFor, type Route } from '../../../../src/gateway/wires/wire.ts'
import { useEndpoints, wireOfModel } from '../../../../src/gateway/wires/apis.ts'
import { findWire } from '../../../../src/gateway/wires/wires.ts'

const ROUTES: readonly Route[] = [
  { operation: 'answer', method: 'POST', path: '/v1beta/models/{model}:generateContent' },
  { operation: 'list-models', method: 'GET', path: '/v1beta/models' },
]

test.for([
  ['/v1beta/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
  ['/v1beta/models/:generateContent', null],
  ['/v1beta/models/a/b:generateContent', null],
  ['/v1beta/models/..%2F..:generateContent', null],
  ['/v1beta/models/gemini:countTokens', null],
  ['/v1beta/models/gemini:generateContent/x', null],
])('a wire whose model is in the path: %s names %s', ([path, model]) => {
  const found = findRoute(ROUTES, 'POST', path ?? '')
  expect(found?.path ?? null).toBe(model === null ? null : path)
  expect(modelIn(ROUTES[0]!, path ?? '')).toBe(model)
  if (model != null) expect(pathFor(ROUTES[0]!, model)).toBe(path)
})

test('models of Google are not asked of the API of OpenAI, and have a price', () => {
  const wire = findWire(wireOfModel('gemini-2.5-pro'))
  expect(wire.api).toMatchObject({ name: 'google', credentials: [['GEMINI_API_KEY', 'api-key'], expect.anything()] })
  const usage = { inputTokens: 1e6, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
  expect(priceOf('gemini-2.5-flash', usage, wire.name)).toBeGreaterThan(0)
  expect([wireOfModel('gpt-5'), wireOfModel('claude-sonnet-5'), wireOfModel('llama-3')]).toEqual([
    'openai-chat',
    'anthropic-messages',
    'openai-chat',
  ])
})

test("a server has the price that its address has in the table, and no other's", () => {
  useEndpoints({
    quick: { url: 'https://api.groq.com/openai/v1', key: 'GROQ_API_KEY' },
    local: { url: 'http://127.0.0.1:11434/v1' },
  })
  const usage = { inputTokens: 1e6, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
  expect(priceOf('llama-3.3-70b-versatile', usage, 'quick')).toBeGreaterThan(0)
  expect(['llama-3.3-70b-versatile', 'gpt-5'].map((model) => priceOf(model, usage, 'local'))).toEqual([null, null])
  expect(priceOf('house', usage, 'local', { house: { input: 2, output: 0 } })).toBe(2)
})
