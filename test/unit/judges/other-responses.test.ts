import { createFixture } from 'fs-fixture'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startGateway, type Gateway } from '../../../src/gateway/gateway.ts'
import { useEndpoints } from '../../../src/gateway/wires/apis.ts'
import { askJudge } from '../../../src/judges/judge.ts'
import { knownKindsIn } from '../../../src/judges/known-kinds.ts'
import { byCriteria } from '../../../src/judges/methods/criteria.ts'
import { apiProvider } from '../../../src/judges/providers/api.ts'
import { agentRun } from '../../support/agent-run.ts'
import { startRawUpstream, type RawAnswer, type RawUpstream } from '../../support/raw-upstream.ts'

const KEY = 'sk-secret-1234567890'
const MODELS = {
  'anthropic-messages': 'claude-opus-5-5',
  'openai-chat': 'gpt-5',
  google: 'gemini-2.5-pro',
  house: 'llama3.3',
} as const

let api: RawUpstream
let gateway: Gateway
let answer: RawAnswer = { body: '' }
beforeAll(async () => {
  api = await startRawUpstream(() => answer)
  useEndpoints({ house: { url: `${api.url}/house/v1`, key: 'HOUSE' } })
  const environment = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: `${api.url}/claude`,
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${api.url}/gpt/v1`,
    GEMINI_API_KEY: KEY,
    GEMINI_BASE_URL: `${api.url}/gemini`,
    HOUSE: KEY,
  }
  gateway = await startGateway({ concurrency: 4, maxCostUsd: 100, environment, allowUnknownCost: true })
})
afterAll(async () => {
  await gateway.close()
  await api[Symbol.asyncDispose]()
})
beforeEach(() => {
  answer = { body: '' }
})

async function judge(wire: keyof typeof MODELS): Promise<{ readonly code: string; readonly message: string }> {
  await using folder = await createFixture({})
  const question = { criteria: 'It says hello.', statements: ['It says hello.'], prompt: 'Hi.', files: [] }
  const { part } = await askJudge({
    label: 'case',
    method: byCriteria({ ...question, run: agentRun({ output: 'Hello.' }) }, 1),
    choice: { provider: wire, model: MODELS[wire], isDefault: false },
    provider: apiProvider(wire),
    source: { kind: 'live' },
    knownKinds: knownKindsIn(folder.path),
    controlSocket: gateway.controlSocket,
    signal: new AbortController().signal,
  })
  return part.error ?? { code: part.result, message: part.reason }
}

const PATHS = { 'anthropic-messages': '/claude', 'openai-chat': '/gpt/v1', google: '/gemini', house: '/house/v1' }
const CHAT = { id: 'c', object: 'chat.completion', model: 'm', usage: { prompt_tokens: 1, completion_tokens: 1 } }
const MESSAGE = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  usage: { input_tokens: 1, output_tokens: 1 },
}
const said = (content: unknown): unknown => ({ ...CHAT, choices: [{ index: 0, message: { content } }] })

/** Of each response, how what the judge's error says of it begins. */
const RESPONSES: Readonly<Record<string, readonly [RawAnswer, start: string]>> = {
  'a page': [{ type: 'text/html', body: `<html>\n<body>Sign in, ${KEY}</body></html>` }, '"<html> <body>Sign in, ***'],
  'a page as JSON': [{ body: '<!doctype html><title>Proxy</title>' }, '"<!doctype html><title>Proxy</title>"'],
  'an empty body': [{ body: '' }, 'an empty body'],
  'an empty object': [{ body: '{}' }, '"{}"'],
  null: [{ body: 'null' }, '"null"'],
  'a list': [{ body: '[1]' }, '"[1]"'],
  'an error in a word': [{ body: '{"error":"model not found"}' }, String.raw`"{\"error\":\"model not found\"}"`],
  'a long page': [{ type: 'text/html', body: `<p>${'long '.repeat(9999)}` }, '"<p>long long'],
}

const OTHER_SHAPES: Readonly<Record<keyof typeof MODELS, readonly unknown[]>> = {
  'anthropic-messages': [
    said('hi'),
    { ...MESSAGE },
    { ...MESSAGE, content: 'hi' },
    { ...MESSAGE, content: { text: '' } },
  ],
  'openai-chat': [{ ...MESSAGE, content: [] }, { ...CHAT, choices: [] }, said({ text: 'hi' }), said([{ text: 'hi' }])],
  google: [{ ...MESSAGE, content: [] }, { ...CHAT, choices: [{ index: 0 }] }, said(7)],
  house: [
    { ...MESSAGE, content: [] },
    { ...CHAT, choices: 'hi' },
    { ...CHAT, choices: [{ message: 'hi' }] },
  ],
}

test.for(Object.keys(MODELS) as (keyof typeof MODELS)[])(
  'the judge says what %s returned that is not a model response, and from where',
  { timeout: 60_000 },
  async (wire) => {
    const shapes = OTHER_SHAPES[wire].map((shape): readonly [RawAnswer, string] => {
      const body = JSON.stringify(shape)
      return [{ body }, JSON.stringify(body).slice(0, 60)]
    })
    for (const [response, start] of [...Object.values(RESPONSES), ...shapes]) {
      answer = response
      const { code, message } = await judge(wire)
      const where = `The API at ${new URL(api.url).host}${PATHS[wire]}`
      expect({ code, message }).toEqual({
        code: 'judge-failed',
        message: expect.stringContaining(
          `${where} returned something that is not a model response: ${start}`,
        ) as string,
      })
      expect(message).not.toContain(KEY)
      expect(message).not.toContain('\n')
      expect(message.length).toBeLessThan(500)
    }
  },
)

test.for(Object.keys(MODELS) as (keyof typeof MODELS)[])('%s answers 200 with an error', async (wire) => {
  answer = { body: '{"error":{"type":"overloaded","message":"Come back later"}}' }
  expect(await judge(wire)).toEqual({
    code: 'judge-failed',
    message: expect.stringContaining('answered 200: overloaded: Come back later.') as string,
  })
})
