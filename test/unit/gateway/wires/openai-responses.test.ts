import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { trafficOf } from '../../../../src/engines/registry.ts'
import { acquireLease, type AcquiredLease } from '../../../../src/gateway/control/client.ts'
import { startGateway } from '../../../../src/gateway/gateway.ts'
import type { LeaseRequest } from '../../../../src/gateway/leases/lease.ts'
import { openaiResponses } from '../../../../src/gateway/wires/openai-responses.ts'
import { askFor } from '../../../support/gateway.ts'
import { startUpstream } from '../../../support/upstream.ts'
import type { JsonValue } from '../../../../src/lib/json.ts'

const signal = new AbortController().signal
const KEY = 'sk-real-123'

async function lease(source: LeaseRequest['source'] | string, url = 'http://127.0.0.1:1'): Promise<AcquiredLease> {
  const environment = { OPENAI_BASE_URL: url, OPENAI_API_KEY: KEY }
  const gateway = await startGateway({ maxCostUsd: 10, concurrency: null, environment })
  onTestFinished(() => gateway.close())
  return acquireLease(gateway.controlSocket, { ...askFor(source), wire: 'openai-responses', port: true }, signal)
}

function clientOf({ grant }: AcquiredLease): OpenAI {
  return new OpenAI({ apiKey: grant.token, baseURL: `http://127.0.0.1:${grant.port}/v1`, maxRetries: 1 })
}

const STORY = `
model: gpt-x
turns:
  - text: A moment.
    tools:
      - name: read
        input: { path: a.md }
      - name: apply_patch
        input: '*** Begin Patch'
      - name: mcp__tally.count
        input: { word: World }
  - All read.
`

const TRAFFIC = trafficOf()

test('a scenario is told to the official client, streamed and not', async () => {
  const held = await lease(STORY)
  const client = clientOf(held)
  const first = await client.responses.create({ model: 'gpt-x', input: 'Read both.' })
  expect(first).toMatchObject({ object: 'response', status: 'completed', model: 'gpt-x', output_text: 'A moment.' })
  expect(first.output.slice(1)).toMatchObject([
    { type: 'function_call', name: 'read', arguments: '{"path":"a.md"}' },
    { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'function_call', namespace: 'mcp__tally', name: 'count', arguments: '{"word":"World"}' },
  ])
  const input = [{ role: 'user', content: 'Read both.' } as const, { role: 'user', content: 'And?' } as const]
  const stream = client.responses.stream({ model: 'gpt-x', input })
  const texts: string[] = []
  stream.on('response.output_text.delta', ({ delta }) => texts.push(delta))
  expect((await stream.finalResponse()).output).toMatchObject([{ content: [{ text: 'All read.' }] }])
  expect(texts).toEqual(['All read.'])
  expect(await held.meter()).toMatchObject({ requests: 2, model: 'gpt-x', costUsd: 0, problems: [] })
})

test('a live answer passes by and is metered and recorded, without what is encrypted', async () => {
  const answer = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'gpt-4o-2024-08-06',
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAA' },
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] },
    ],
    usage: { input_tokens: 1000, input_tokens_details: { cached_tokens: 400 }, output_tokens: 200, total_tokens: 1200 },
  }
  await using upstream = await startUpstream([{ json: answer }])
  const held = await lease({ kind: 'record', upstream: { kind: 'live' } }, `${upstream.url}/v1`)
  const created = await clientOf(held).responses.create({
    model: 'gpt-4o',
    instructions: 'Be brief.',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello?' }] }],
  })
  expect(created.output_text).toBe('Hello.')
  expect(upstream.requests).toMatchObject([
    { method: 'POST', url: '/v1/responses', headers: { authorization: `Bearer ${KEY}` } },
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
        {
          texts: ['Be brief.', 'Hello?'],
          answer: {
            content: [
              { kind: 'thinking', text: 'Hm.' },
              { kind: 'text', text: 'Hello.' },
            ],
          },
        },
      ],
    },
  ])
  expect(JSON.stringify(threads)).not.toContain('gAAA')
})

test('what a recording does not hold is refused so that no client asks again', async () => {
  const held = await lease({ kind: 'replay', credential: 'api-key', model: 'gpt-x', threads: [] })
  await expect(clientOf(held).responses.create({ model: 'gpt-x', input: 'One?' })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('The recording does not contain a request') as string,
  })
  expect((await held.meter()).problems).toMatchObject([{ code: 'recording-incompatible' }])
})

test('a stream that passes by is metered and put together', () => {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello é.' }] }
  const call = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"a":1}' }
  const usage = { input_tokens: 5, output_tokens: 6 }
  const events = [
    { type: 'response.created', response: { id: 'r1', model: 'gpt-x', status: 'in_progress', error: null } },
    { type: 'response.output_item.done', item: message },
    { type: 'response.output_item.done', item: call },
    { type: 'response.completed', response: { id: 'r1', model: 'gpt-x', status: 'completed', output: [], usage } },
  ]
  const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
  const reader = openaiResponses.readAnswer(200, 'text/event-stream; charset=utf-8')
  for (let at = 0; at < bytes.length; at += 7) {
    reader.chunk(bytes.subarray(at, at + 7))
  }
  const counted = { inputTokens: 5, outputTokens: 6, cacheReadTokens: 0, cacheWriteTokens: 0 }
  expect(reader.seen()).toEqual({ model: 'gpt-x', usage: counted, failure: null, complete: true })
  expect(reader.whole()).toEqual({
    id: 'r1',
    model: 'gpt-x',
    content: [
      { kind: 'text', text: 'Hello é.' },
      { kind: 'tool-call', id: 'call_1', name: 'read', input: { a: 1 } },
    ],
    stopReason: 'tool-calls',
    usage: counted,
  })
})

test.for([
  { type: 'response.refusal.done', refusal: 'No.' },
  { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } } },
  {
    type: 'response.completed',
    response: { status: 'completed', output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] },
  },
])('an answer that was declined is a failure: $type', (event) => {
  const reader = openaiResponses.readAnswer(200, 'text/event-stream')
  reader.chunk(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
  expect(reader.seen().failure).toEqual({ type: 'refusal', message: 'the model declined to answer' })
})

test('an error in a stream is told, and an answer that breaks off is none', () => {
  const failed = {
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error', message: 'x' } },
  }
  const reader = openaiResponses.readAnswer(200, 'text/event-stream')
  const bytes = Buffer.from(`data: ${JSON.stringify(failed)}\n\n`)
  reader.chunk(bytes)
  expect(reader.seen()).toMatchObject({ failure: { type: 'server_error', message: 'x' }, complete: false })
  expect(reader.whole()).toBeNull()
})

test.for([
  [
    'Chunk ID: 3a6bf5\nWall time: 0.0312 seconds\nProcess exited with code 0\nOriginal token count: 2\nOutput:\ngone\n',
    'Process exited with code 0\nOutput:\ngone\n',
    false,
  ],
  [
    'Chunk ID: 25cb4a\nWall time: 0.0 seconds\nProcess exited with code 3\nOriginal token count: 2\nOutput:\nerr\n',
    'Process exited with code 3\nOutput:\nerr\n',
    true,
  ],
  ['Exit code: 1\nWall time: 0 seconds\nOutput:\nno\n', 'Exit code: 1\nOutput:\nno\n', true],
  ['Process exited with code 1', 'Process exited with code 1', false],
  ['Command blocked by PreToolUse hook: no. Command: ls', 'Command blocked by PreToolUse hook: no. Command: ls', true],
  ['unsupported call: Bash', 'unsupported call: Bash', true],
] as const)('reads the tool output %j', ([output, text, isError]) => {
  const input = [{ type: 'function_call_output', id: 'fco_new', call_id: 'c', output }]
  expect(
    openaiResponses.readRequest({ path: '', body: { model: 'm', input }, headers: {} }, TRAFFIC)?.messages,
  ).toEqual([{ role: 'user', parts: [{ kind: 'tool-result', id: 'c', text, isError }] }])
})

test('tools that are found later are offers, by the name of their namespace', () => {
  const tools = [{ type: 'namespace', name: 'mcp__tally', tools: [{ name: 'count', description: 'Counts.' }] }]
  const input = [
    { type: 'tool_search_call', call_id: 'c', arguments: { query: 'count' } },
    { type: 'tool_search_output', call_id: 'c', tools },
  ]
  const read = openaiResponses.readRequest({ path: '', body: { model: 'm', input }, headers: {} }, TRAFFIC)
  expect(read?.offers).toEqual([{ name: 'mcp__tally__count', description: 'Counts.' }])
  expect(read?.messages.at(-1)?.parts).toEqual([
    { kind: 'tool-result', id: 'c', text: 'mcp__tally count', isError: false },
  ])
})

test('a sub-agent is known by its thread and by what it was given', () => {
  const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
  const input = [user('# AGENTS.md instructions for /w\n'), user('<environment_context>…'), user('Look.\n')]
  const headers = { 'x-openai-subagent': 'collab_spawn', 'thread-id': 't2' }
  expect(openaiResponses.readRequest({ path: '', body: { model: 'm', input }, headers }, TRAFFIC)?.thread).toEqual({
    kind: 'agent',
    id: 't2',
    prompt: 'Look.',
  })
  expect(
    openaiResponses.readRequest(
      { path: '', body: { model: 'm', input }, headers: { 'x-openai-subagent': 'compact' } },
      TRAFFIC,
    )?.thread,
  ).toEqual({
    kind: 'side',
    name: 'compact',
  })
})

test('a sub-agent’s end that is told after the last answer is no turn of the main thread', () => {
  const message = (role: string, text: string) => ({ type: 'message', role, content: [{ type: 'input_text', text }] })
  const threadOf = (...input: readonly JsonValue[]) =>
    openaiResponses.readRequest({ path: '', body: { model: 'm', input }, headers: {} }, TRAFFIC)?.thread
  const ended = message('user', '<subagent_notification>\n{"status":"completed"}\n</subagent_notification>')
  const asked = message('user', 'Delegate.')
  const answered = message('assistant', 'Done.')
  const result = { type: 'function_call_output', call_id: 'c', output: 'ok' }
  const call = { type: 'function_call', call_id: 'c', name: 'wait_agent', arguments: '{}' }
  const late = { kind: 'side', name: 'sub-agent-ended' }
  expect([threadOf(asked, answered, ended), threadOf(asked, answered, ended, ended)]).toEqual([late, late])
  const others = [
    [asked, ended],
    [asked, call, result, ended],
    [asked, answered, ended, asked],
    [asked, answered],
  ]
  expect(others.map((input) => threadOf(...input))).toEqual(others.map(() => ({ kind: 'main' })))
})

test.for([null, [], {}, { model: 'm' }, { input: [] }])('%j is no request', (body) => {
  expect(openaiResponses.readRequest({ path: '', body, headers: {} }, TRAFFIC)).toBeNull()
})

test('a request for a summary is no part of the session, though it comes on its thread', () => {
  const asks = (text: string): unknown =>
    openaiResponses.readRequest(
      { headers: {}, path: '', body: { model: 'm', input: [{ role: 'user', content: text }] } },
      TRAFFIC,
    )?.thread
  expect(asks('You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.')).toEqual({
    kind: 'side',
    name: 'compact',
  })
  expect(asks('What is a CONTEXT CHECKPOINT COMPACTION?')).toEqual({ kind: 'main' })
})

test('what the API did itself is kept, without what is encrypted, and written again', () => {
  const item = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'cats' } }
  const content = [{ kind: 'other', type: item.type, value: item }] as const
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
  for (const stream of [true, false]) {
    const written = openaiResponses.writeAnswer(
      { id: 'msg_1', model: 'm', content, stopReason: 'end-turn', usage },
      stream,
    )
    expect(written.body).toContain(JSON.stringify(item))
    const reader = openaiResponses.readAnswer(200, stream ? 'text/event-stream' : 'application/json')
    reader.chunk(Buffer.from(written.body))
    expect(reader.whole()?.content).toEqual(content)
  }
})

test('reads hostile shapes without falling over', () => {
  const input = [null, 1, { role: 7 }, { type: 'function_call' }, { type: 'custom_tool_call_output', output: [3] }]
  expect(
    openaiResponses.readRequest({ path: '', body: { model: 'm', input, tools: [{}, null] }, headers: {} }, TRAFFIC)
      ?.messages,
  ).toEqual([
    { role: '', parts: [] },
    { role: 'assistant', parts: [{ kind: 'tool-call', id: '', name: '', input: {} }] },
    { role: 'user', parts: [{ kind: 'tool-result', id: '', text: '', isError: false }] },
  ])
})
