import { expect, test } from 'vitest'
import { traffic } from '../../../../src/engines/copilot/record-table.ts'
import type { ModelMessage, RequestClues, Thread } from '../../../../src/recordings/messages.ts'

function delegatedThread(headers: RequestClues['headers'], messages: readonly ModelMessage[]): Thread | null {
  return traffic.threadOf?.({ headers, messages, system: [], tools: [] }) ?? null
}

const SUB_AGENT = { 'x-interaction-type': 'conversation-subagent' }

function opening(time: string, prompt: string): readonly ModelMessage[] {
  const text = `<current_datetime>${time}</current_datetime>\n\n${prompt}`
  return [{ role: 'user', parts: [{ kind: 'text', text: text }] }]
}

test('the time in their prompts tells sub-agents with equal prompts apart', () => {
  const one = delegatedThread(SUB_AGENT, opening('2026-11-22T07:13:09.517+00:00', 'Look at it.'))
  const two = delegatedThread(SUB_AGENT, opening('2026-11-22T07:13:09.518+00:00', 'Look at it.'))
  expect([one, two]).toMatchObject([
    { kind: 'agent', prompt: 'Look at it.' },
    { kind: 'agent', prompt: 'Look at it.' },
  ])
  expect(one).not.toEqual(two)
})

test('a sub-agent keeps its thread while it goes on', () => {
  const first = opening('2026-11-22T07:13:09.517+00:00', 'Look at it.')
  const later: readonly ModelMessage[] = [...first, { role: 'assistant', parts: [{ kind: 'text', text: 'I do.' }] }]
  expect(delegatedThread(SUB_AGENT, later)).toEqual(delegatedThread(SUB_AGENT, first))
})

test('a sub-agent whose conversation was summarized is known by what it was given', () => {
  const text =
    'Some of the conversation history has been summarized to free up context.\n\nYou were given these:\n<user_message>\nLook at it.\n</user_message>\n\nHere is a summary:\n<summary>\nIt looked.\n</summary>'
  const thread = delegatedThread(SUB_AGENT, [{ role: 'user', parts: [{ kind: 'text', text }] }])
  expect(thread).toEqual({ kind: 'agent', id: null, prompt: 'Look at it.' })
})

test('the main thread, and clients that say nothing of it, have no such thread', () => {
  const messages = opening('2026-11-22T07:13:09.517+00:00', 'Say hello.')
  expect(delegatedThread({ 'x-interaction-type': 'conversation-user' }, messages)).toBeNull()
  expect(delegatedThread({}, messages)).toBeNull()
})

test('a request for a summary is no part of the session', () => {
  const asks = (text: string): Thread | null => delegatedThread({}, [{ role: 'user', parts: [{ kind: 'text', text }] }])
  const words =
    'Please create a detailed summary of the conversation so far. The history is being compacted so moving forward, you will only have it.'
  expect(asks(words)).toEqual({ kind: 'side', name: 'compact' })
  expect(asks('Please create a detailed summary of the conversation so far.')).toBeNull()
})
