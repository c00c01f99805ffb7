import { expect, test } from 'vitest'
import { trafficOf } from '../../../../src/engines/registry.ts'
import type { ModelAnswer } from '../../../../src/recordings/messages.ts'
import { anthropicMessages } from '../../../../src/gateway/wires/anthropic-messages.ts'
import { findRoute, type ObservedAnswer } from '../../../../src/gateway/wires/wire.ts'

const ANSWER: ModelAnswer = {
  id: 'msg_1',
  model: 'scenario',
  content: [
    { kind: 'thinking', text: 'Hm.' },
    { kind: 'text', text: 'One\nmoment.' },
    { kind: 'tool-call', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
  ],
  stopReason: 'tool-calls',
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
}

test.for([
  ['POST', '/v1/messages', 'answer'],
  ['POST', '/v1/messages/count_tokens', 'count-tokens'],
  ['GET', '/v1/messages', null],
  ['POST', '/v1/messages/', null],
  ['POST', '/v1/messages/batches', null],
  ['POST', '/v1/files', null],
] as const)('%s %s is %s', ([method, path, operation]) => {
  expect(findRoute(anthropicMessages.routes, method, path)?.operation ?? null).toBe(operation)
})

const TRAFFIC = trafficOf()

test('reads a request into the inner shape', () => {
  const image = { type: 'image', source: { type: 'base64', data: '' } }
  const body = {
    model: 'claude-opus-5-5',
    stream: true,
    system: [{ type: 'text', text: 'You are a Claude agent.' }],
    tools: [{ name: 'Bash', description: 'Runs.', input_schema: {} }, { type: 'web_search_20250305' }],
    messages: [
      { role: 'user', content: 'Do it.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'no' }], is_error: true },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: 'yes' },
          image,
        ],
      },
    ],
  }
  expect(
    anthropicMessages.readRequest({ path: '', body, headers: { 'x-claude-code-agent-id': 'a1' } }, TRAFFIC),
  ).toEqual({
    thread: { kind: 'agent', id: 'a1', prompt: 'Do it.' },
    model: 'claude-opus-5-5',
    stream: true,
    system: ['You are a Claude agent.'],
    tools: ['Bash', 'web_search_20250305'],
    offers: [
      { name: 'Bash', description: 'Runs.' },
      { name: 'web_search_20250305', description: '' },
    ],
    messages: [
      { role: 'user', parts: [{ kind: 'text', text: 'Do it.' }] },
      { role: 'assistant', parts: [{ kind: 'tool-call', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }] },
      {
        role: 'user',
        parts: [
          { kind: 'tool-result', id: 'toolu_1', text: 'no', isError: true },
          { kind: 'tool-result', id: 'toolu_2', text: 'yes', isError: false },
          { kind: 'other', type: 'image', value: image },
        ],
      },
    ],
  })
})

test.for([null, [], 'text', {}, { model: 'm' }, { messages: [] }, { model: 1, messages: [] }])(
  '%j is no request',
  (body) => {
    expect(anthropicMessages.readRequest({ path: '', body, headers: {} }, TRAFFIC)).toBeNull()
  },
)

test('reads hostile shapes without falling over', () => {
  const messages = [
    null,
    1,
    { role: 7, content: 9 },
    { role: 'user', content: [null, { type: 'tool_result' }, { type: 'text' }] },
  ]
  expect(
    anthropicMessages.readRequest(
      { path: '', body: { model: 'm', messages, system: 5, tools: 'x' }, headers: {} },
      TRAFFIC,
    )?.messages,
  ).toEqual([
    { role: '', parts: [] },
    {
      role: 'user',
      parts: [
        { kind: 'tool-result', id: '', text: '', isError: false },
        { kind: 'text', text: '' },
      ],
    },
  ])
})

test('writes an answer as the API’s event stream', () => {
  const { body, headers } = anthropicMessages.writeAnswer(ANSWER, true)
  expect(headers['content-type']).toBe('text/event-stream')
  expect(body).toMatchInlineSnapshot(`
    "event: message_start
    data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"scenario","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}

    event: ping
    data: {"type":"ping"}

    event: content_block_start
    data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}

    event: content_block_stop
    data: {"type":"content_block_stop","index":0}

    event: content_block_start
    data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"One\\nmoment."}}

    event: content_block_stop
    data: {"type":"content_block_stop","index":1}

    event: content_block_start
    data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\\"command\\":\\"ls\\"}"}}

    event: content_block_stop
    data: {"type":"content_block_stop","index":2}

    event: message_delta
    data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}

    event: message_stop
    data: {"type":"message_stop"}

    "
  `)
})

test('writes an answer as one message', () => {
  expect(JSON.parse(anthropicMessages.writeAnswer(ANSWER, false).body)).toMatchInlineSnapshot(`
    {
      "content": [
        {
          "signature": "",
          "thinking": "Hm.",
          "type": "thinking",
        },
        {
          "text": "One
    moment.",
          "type": "text",
        },
        {
          "id": "toolu_1",
          "input": {
            "command": "ls",
          },
          "name": "Bash",
          "type": "tool_use",
        },
      ],
      "id": "msg_1",
      "model": "scenario",
      "role": "assistant",
      "stop_reason": "tool_use",
      "stop_sequence": null,
      "type": "message",
      "usage": {
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "input_tokens": 0,
        "output_tokens": 0,
      },
    }
  `)
})

test('writes errors in the API’s shape', () => {
  const failure = { status: 529, type: null, message: 'Busy.', retryAfter: 2, retry: null }
  expect(anthropicMessages.writeFailure(failure)).toEqual({
    status: 529,
    headers: { 'content-type': 'application/json', 'retry-after': '2' },
    body: '{"type":"error","error":{"type":"overloaded_error","message":"Busy."}}',
  })
  expect(
    anthropicMessages.writeFailure({ ...failure, status: 418, type: 'teapot', retry: false, retryAfter: null }),
  ).toEqual({
    status: 418,
    headers: { 'content-type': 'application/json', 'x-should-retry': 'false' },
    body: '{"type":"error","error":{"type":"teapot","message":"Busy."}}',
  })
})

/** What is seen of an answer that arrives in pieces of `size` bytes. */
function observe(contentType: string, body: string, size: number, status = 200): ObservedAnswer {
  const reader = anthropicMessages.readAnswer(status, contentType)
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at += size) reader.chunk(bytes.subarray(at, at + size))
  return reader.seen()
}

test.for([1, 7, 100_000])('its own stream is read back in pieces of %i bytes', (size) => {
  const { body } = anthropicMessages.writeAnswer(
    { ...ANSWER, model: 'modèle', usage: { ...ANSWER.usage, outputTokens: 5 } },
    true,
  )
  expect(observe('text/event-stream; charset=utf-8', body, size)).toEqual({
    model: 'modèle',
    usage: { ...ANSWER.usage, outputTokens: 5 },
    failure: null,
    complete: true,
  })
})

test('the last count of a stream holds, and a stream without an end is not complete', () => {
  const body = [
    {
      type: 'message_start',
      message: { model: 'm', usage: { input_tokens: 9, cache_read_input_tokens: 4, output_tokens: 1 } },
    },
    { type: 'message_delta', usage: { output_tokens: 30 } },
  ].map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`)
  expect(observe('text/event-stream', `${body.join('')}: comment\ndata: {bro`, 10)).toEqual({
    model: 'm',
    usage: { inputTokens: 9, outputTokens: 30, cacheReadTokens: 4, cacheWriteTokens: 0 },
    failure: null,
    complete: false,
  })
})

test('an answer that was declined is a failure, streamed or not', () => {
  const delta = { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 1 } }
  const body = { type: 'message', model: 'm', content: [], stop_reason: 'refusal' }
  const declined = { failure: { type: 'refusal', message: 'the model declined to answer' } }
  expect(observe('text/event-stream', `data: ${JSON.stringify(delta)}\n\n`, 9)).toMatchObject(declined)
  expect(observe('application/json', JSON.stringify(body), 9)).toMatchObject(declined)
})

test('an error is seen in a stream, in a body and behind a page of a proxy', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }
  const failure = { type: 'overloaded_error', message: 'Busy.' }
  const nothing = { model: null, usage: null, complete: false }
  expect(observe('text/event-stream', `event: error\ndata: ${JSON.stringify(error)}\n\n`, 5)).toEqual({
    ...nothing,
    failure,
  })
  expect(observe('application/json', JSON.stringify(error), 5, 529)).toEqual({ ...nothing, failure })
  expect(observe('text/html', '<h1>Sign in</h1>', 5)).toEqual({ ...nothing, failure: null })
})
