import { expect, test } from 'vitest'
import { createThreadKeys, fingerprint, threadOf } from '../../../src/conversation/thread.ts'
import type { ModelMessage, ModelRequest } from '../../../src/conversation/model.ts'

function user(...texts: string[]): ModelMessage {
  return { role: 'user', parts: texts.map((text) => ({ kind: 'text', text })) }
}

const REMINDER = '<system-reminder>\nThe date is today.\n</system-reminder>\n'

test.for([
  {
    name: 'the main thread',
    clues: {
      agentId: null,
      system: ['You are a Claude agent, built on …'],
      messages: [user(REMINDER, 'Do it.')],
      tools: ['Bash'],
    },
    thread: { kind: 'main' },
  },
  {
    name: 'the main thread of an agent without tools',
    clues: { agentId: null, system: ["You are Claude Code, Anthropic's …"], messages: [user('Do it.')], tools: [] },
    thread: { kind: 'main' },
  },
  {
    name: 'an engine of any other kind',
    clues: { agentId: null, system: [], messages: [user('Do it.')], tools: [] },
    thread: { kind: 'main' },
  },
  {
    name: 'a sub-agent',
    clues: { agentId: 'a7b6', system: [], messages: [user(REMINDER, 'Look there.\n'), user('more')], tools: ['Read'] },
    thread: { kind: 'agent', id: 'a7b6', prompt: 'Look there.' },
  },
  {
    name: 'a prompt hook',
    clues: {
      agentId: null,
      system: ['You are evaluating a hook in Claude Code. …'],
      messages: [user('{}')],
      tools: [],
    },
    thread: { kind: 'side', name: 'hook' },
  },
  {
    name: 'a prompt hook of the end, which is sent below the whole conversation',
    clues: {
      agentId: null,
      system: [
        'You are evaluating a stop-condition hook in Claude Code. Read the conversation transcript carefully, …',
      ],
      messages: [user('Look there.'), user('Based on the conversation transcript above, …')],
      tools: ['Read'],
    },
    thread: { kind: 'side', name: 'hook' },
  },
  {
    name: 'a web search',
    clues: {
      agentId: null,
      system: ['You run a web search for another Claude model.'],
      messages: [user('q')],
      tools: ['web_search'],
    },
    thread: { kind: 'side', name: 'web-search' },
  },
  {
    name: 'compaction',
    clues: {
      agentId: null,
      system: ['You are a Claude agent'],
      messages: [user('Do it.'), user('CRITICAL: Respond with TEXT ONLY. …')],
      tools: ['Bash'],
    },
    thread: { kind: 'side', name: 'compact' },
  },
  {
    name: 'what the CLI will come up with next',
    clues: { agentId: null, system: ['Summarise this Claude Code session.'], messages: [user('…')], tools: [] },
    thread: { kind: 'side', name: 'other' },
  },
])('tells $name', ({ clues, thread }) => {
  expect(threadOf(clues)).toEqual(thread)
})

test('names sub-agents by their prompt and slot, whatever their id', () => {
  const names = (ids: readonly string[]): readonly string[] => {
    const keyOf = createThreadKeys()
    return ids.map((id) => keyOf({ kind: 'agent', id, prompt: id.startsWith('x') ? 'other' : 'same' }))
  }
  const [first, second, other, again] = names(['a', 'b', 'x', 'a'])
  expect([first, second, other, again]).toEqual(names(['q', 'r', 'x9', 'q']))
  expect([first?.slice(-2), second?.slice(-2), other?.slice(-2), again === first]).toEqual(['#0', '#1', '#0', true])
  expect(createThreadKeys()({ kind: 'side', name: 'hook' })).toBe('side:hook')
})

test('a non-streaming fallback is the same request, a longer conversation is another', () => {
  const request: ModelRequest = {
    thread: { kind: 'main' },
    model: 'm',
    stream: true,
    system: ['s'],
    messages: [user('a')],
    tools: [],
    offers: [],
  }
  expect(fingerprint({ ...request, stream: false })).toBe(fingerprint(request))
  expect(fingerprint({ ...request, messages: [user('a'), user('b')] })).not.toBe(fingerprint(request))
})
