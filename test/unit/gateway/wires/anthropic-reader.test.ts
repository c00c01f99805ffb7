import { expect, test } from 'vitest'
import { anthropicMessages } from '../../../../src/gateway/wires/anthropic-messages.ts'
import type { JsonObject } from '../../../../src/lib/json.ts'
import type { ModelAnswer } from '../../../../src/recordings/messages.ts'

const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'ä' } }

function foundBy(encrypted: string): JsonObject {
  const result = { type: 'web_search_result', title: 'A page', url: 'https://a.example/', encrypted_content: encrypted }
  return { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [result] }
}

const ANSWER: ModelAnswer = {
  id: 'msg_1',
  model: 'claude-opus-5-5',
  content: [
    { kind: 'thinking', text: 'Hm: ü.' },
    { kind: 'text', text: 'I read “it”.\n' },
    { kind: 'other', type: 'server_tool_use', value: SEARCH },
    { kind: 'other', type: 'web_search_tool_result', value: foundBy('') },
    { kind: 'tool-call', id: 'toolu_1', name: 'Read', input: { file_path: '/workspace/ä.txt', limit: 3 } },
    { kind: 'tool-call', id: 'toolu_2', name: 'Bash', input: {} },
  ],
  stopReason: 'tool-calls',
  usage: { inputTokens: 3, outputTokens: 9, cacheReadTokens: 1, cacheWriteTokens: 2 },
}

function read(contentType: string, body: string, size: number): ModelAnswer | null {
  const reader = anthropicMessages.readAnswer(200, contentType)
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at += size) reader.chunk(bytes.subarray(at, at + size))
  return reader.whole()
}

test.for([1, 5, 1_000_000])('an answer is read back whole from a stream in pieces of %i bytes', (size) => {
  const { body } = anthropicMessages.writeAnswer(ANSWER, true)
  expect(read('text/event-stream; charset=utf-8', body, size)).toEqual(ANSWER)
})

test('an answer is read back whole from one message', () => {
  const { body } = anthropicMessages.writeAnswer(ANSWER, false)
  expect(read('application/json', body, 7)).toEqual(ANSWER)
})

test('signatures and encrypted thoughts are left out', () => {
  const message = {
    ...JSON.parse(anthropicMessages.writeAnswer(ANSWER, false).body),
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmF0dXJl' },
      { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' },
      foundBy('ZW5jcnlwdGVk'),
      { type: 'text', text: 'Done.' },
    ],
  }
  expect(read('application/json', JSON.stringify(message), 100)?.content).toEqual([
    { kind: 'thinking', text: 'Hm.' },
    { kind: 'other', type: 'web_search_tool_result', value: foundBy('') },
    { kind: 'text', text: 'Done.' },
  ])
})

test('a stream that breaks off and a body that is no answer are none', () => {
  const { body } = anthropicMessages.writeAnswer(ANSWER, true)
  expect(read('text/event-stream', body.slice(0, body.indexOf('event: message_stop')), 50)).toBeNull()
  expect(read('application/json', '{"type":"error","error":{"type":"api_error","message":"no"}}', 50)).toBeNull()
  expect(read('application/json', '<html>', 50)).toBeNull()
})
