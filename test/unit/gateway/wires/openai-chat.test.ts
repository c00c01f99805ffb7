import OpenAI, { APIError } from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { trafficOf } from '../../../../src/engines/registry.ts'
import { acquireLease, type AcquiredLease } from '../../../../src/gateway/control/client.ts'
import { startGateway } from '../../../../src/gateway/gateway.ts'
import type { LeaseRequest } from '../../../../src/gateway/leases/lease.ts'
import { openaiChat } from '../../../../src/gateway/wires/openai-chat.ts'
import { askFor } from '../../../support/gateway.ts'
import { startUpstream } from '../../../support/upstream.ts'

const signal = new AbortController().signal
const KEY = 'sk-real-123'

async function lease(source: LeaseRequest['source'] | string, url = 'http://127.0.0.1:1'): Promise<AcquiredLease> {
  const environment = { OPENAI_BASE_URL: url, OPENAI_API_KEY: KEY }
  const gateway = await startGateway({ maxCostUsd: 10, concurrency: null, environment })
  onTestFinished(() => gateway.close())
  return acquireLease(gateway.controlSocket, { ...askFor(source), wire: 'openai-chat', port: true }, signal)
}

function clientOf({ grant }: AcquiredLease): OpenAI {
  return new OpenAI({ apiKey: grant.token, baseURL: `http://127.0.0.1:${grant.port}/v1`, maxRetries: 1 })
}

const TOOL = { type: 'function', function: { name: 'read', description: 'Reads.', parameters: {} } } as const

const STORY = `
model: gpt-x
turns:
  - text: A moment.
    tools:
      - name: read
        input: { path: a.md }
      - name: read
        input: { path: b.md }
  - All read.
`

const TRAFFIC = trafficOf()

test('a scenario is told to the official client, streamed and not', async () => {
  const held = await lease(STORY)
  const client = clientOf(held)
  const question = { role: 'user', content: 'Read both.' } as const
  const first = await client.chat.completions.create({ model: 'gpt-x', messages: [question], tools: [TOOL] })
  const message = first.choices[0]?.message
  expect(first).toMatchObject({
    object: 'chat.completion',
    model: 'gpt-x',
    choices: [
      {
        finish_reason: 'tool_calls',
        message: {
          content: 'A moment.',
          tool_calls: [
            { function: { name: 'read', arguments: '{"path":"a.md"}' } },
            { function: { name: 'read', arguments: '{"path":"b.md"}' } },
          ],
        },
      },
    ],
  })
  if (message === undefined) throw new Error('no message')
  const results = (message.tool_calls ?? []).map(
    ({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' }) as const,
  )
  const stream = client.chat.completions.stream({ model: 'gpt-x', messages: [question, message, ...results] })
  expect(await stream.finalContent()).toBe('All read.')
  expect(await stream.totalUsage()).toMatchObject({ total_tokens: 0 })
  expect(await held.meter()).toMatchObject({ requests: 2, model: 'gpt-x', costUsd: 0, problems: [] })
})

test('an error of a scenario is the client’s own error', async () => {
  const held = await lease(
    'turns:\n  - error: { status: 429, type: rate_limit_exceeded, message: Slow down. }\n  - Now.',
  )
  const client = clientOf(held)
  const ask: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    model: 'gpt-x',
    messages: [{ role: 'user', content: 'Hello?' }],
  }
  const refused = await client.chat.completions.create(ask, { maxRetries: 0 }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(APIError)
  expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded', message: '429 Slow down.' })
  const answer = await client.chat.completions.create(ask)
  expect(answer.choices[0]?.message.content).toBe('Now.')
})

test('a live answer passes by and is metered and recorded, the base URL with its own path', async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 200, prompt_tokens_details: { cached_tokens: 400 } }
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }]
  const answer = { id: 'c1', object: 'chat.completion', model: 'gpt-4o-2024-08-06', choices, usage }
  await using upstream = await startUpstream([{ json: answer }])
  const held = await lease({ kind: 'record', upstream: { kind: 'live' } }, `${upstream.url}/openai/v1/`)
  const completion = await clientOf(held).chat.completions.create({
    model: 'gpt-4o',
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello?' }] },
    ],
  })
  expect(completion.choices[0]?.message.content).toBe('Hello.')
  expect(upstream.requests).toMatchObject([
    { method: 'POST', url: '/openai/v1/chat/completions', headers: { authorization: `Bearer ${KEY}` } },
  ])
  expect(await held.meter()).toEqual({
    requests: 1,
    stopReason: 'end-turn',
    usage: { inputTokens: 600, outputTokens: 200, cacheReadTokens: 400, cacheWriteTokens: 0 },
    model: 'gpt-4o-2024-08-06',
    costUsd: 0.004,
    problems: [],
  })
  const { threads } = await held.conversation()
  expect(threads).toMatchObject([
    {
      thread: 'main',
      turns: [
        { model: 'gpt-4o', texts: ['Be brief.', 'Hello?'], answer: { content: [{ kind: 'text', text: 'Hello.' }] } },
      ],
    },
  ])
})

test('a recording answers again, and what it does not hold is refused at once', async () => {
  const usage = { inputTokens: 3, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0 }
  const held = await lease({
    kind: 'replay',
    credential: 'api-key',
    model: 'gpt-4o-2024-08-06',
    threads: [
      {
        thread: 'main',
        given: null,
        turns: [{ content: [{ kind: 'text', text: 'Kept.' }], stopReason: 'end-turn', usage }],
      },
    ],
  })
  const client = clientOf(held)
  const ask = (content: string) => {
    return client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] })
  }
  expect((await ask('One?')).choices[0]?.message.content).toBe('Kept.')
  await expect(ask('Two?')).rejects.toMatchObject({ status: 403 })
  expect((await held.meter()).problems).toMatchObject([{ code: 'recording-incompatible' }])
})

test('a stream that passes by is metered and put together', () => {
  const events = [
    { id: 'c1', model: 'gpt-4o', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' } }] },
    { id: 'c1', model: 'gpt-4o', choices: [{ index: 0, delta: { content: 'lo é.' }, finish_reason: null }] },
    {
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'read', arguments: '' } }] } },
      ],
    },
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] } }] },
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '1}' } }] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage: null },
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 6 } },
  ]
  const bytes = Buffer.from(
    [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((line) => `data: ${line}\n\n`).join(''),
  )
  const reader = openaiChat.readAnswer(200, 'text/event-stream; charset=utf-8')
  for (let at = 0; at < bytes.length; at += 7) {
    reader.chunk(bytes.subarray(at, at + 7))
  }
  const usage = { inputTokens: 5, outputTokens: 6, cacheReadTokens: 0, cacheWriteTokens: 0 }
  expect(reader.seen()).toEqual({ model: 'gpt-4o', usage, failure: null, complete: true })
  expect(reader.whole()).toEqual({
    id: 'c1',
    model: 'gpt-4o',
    content: [
      { kind: 'text', text: 'Hello é.' },
      { kind: 'tool-call', id: 'call_1', name: 'read', input: { a: 1 } },
    ],
    stopReason: 'tool-calls',
    usage,
  })
})

test.for([
  { delta: { refusal: 'No.' } },
  { delta: {}, finish_reason: 'content_filter' },
  { message: { content: null, refusal: 'No.' }, finish_reason: 'stop' },
])('an answer that was declined is a failure: %j', (choice) => {
  const isStream = 'delta' in choice
  const reader = openaiChat.readAnswer(200, isStream ? 'text/event-stream' : 'application/json')
  const body = JSON.stringify({ choices: [choice] })
  reader.chunk(Buffer.from(isStream ? `data: ${body}\n\n` : body))
  expect(reader.seen().failure).toEqual({ type: 'refusal', message: 'the model declined to answer' })
})

test.for([
  ['a body that breaks off', 'application/json', '{"choices":[{"mess'],
  ['a stream that breaks off', 'text/event-stream', 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'],
  ['an error', 'application/json', '{"error":{"message":"no"}}'],
] as const)('%s is no answer', ([, type, body]) => {
  const reader = openaiChat.readAnswer(200, type)
  reader.chunk(Buffer.from(body))
  expect(reader.whole()).toBeNull()
})

test.for([null, [], {}, { model: 'm' }, { messages: [] }])('%j is no request', (body) => {
  expect(openaiChat.readRequest({ path: '', body, headers: {} }, TRAFFIC)).toBeNull()
})

test('reads hostile shapes without falling over', () => {
  const messages = [null, 1, { role: 7 }, { role: 'tool' }, { role: 'assistant', tool_calls: [{ function: 'x' }, 3] }]
  expect(
    openaiChat.readRequest({ path: '', body: { model: 'm', messages, tools: [{}, null] }, headers: {} }, TRAFFIC)
      ?.messages,
  ).toEqual([
    { role: '', parts: [] },
    { role: 'user', parts: [{ kind: 'tool-result', id: '', text: '', isError: false }] },
    { role: 'assistant', parts: [{ kind: 'tool-call', id: '', name: '', input: {} }] },
  ])
})
