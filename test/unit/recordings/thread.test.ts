import { expect, test } from 'vitest'
import {
  createThreadKeys,
  fingerprint,
  nameThread,
  type ModelMessage,
  type ModelRequest,
} from '../../../src/recordings/messages.ts'

function user(...texts: string[]): ModelMessage {
  return { role: 'user', parts: texts.map((text) => ({ kind: 'text', text })) }
}

test('names sub-agents by their prompt and slot, whatever their id', () => {
  const names = (ids: readonly string[]): readonly string[] => {
    const keyOf = createThreadKeys()
    return ids.map((id) => nameThread(keyOf({ kind: 'agent', id, prompt: id.startsWith('x') ? 'other' : 'same' })))
  }
  const [first, second, other, again] = names(['a', 'b', 'x', 'a'])
  expect([first, second, other, again]).toEqual(names(['q', 'r', 'x9', 'q']))
  expect([first?.slice(-2), second?.slice(-2), other?.slice(-2), again === first]).toEqual(['#0', '#1', '#0', true])
  expect(nameThread(createThreadKeys()({ kind: 'side', name: 'hook' }))).toBe('side:hook')
})

test('a sub-agent whose id is hidden is the latest one that was given the same', () => {
  const keyOf = createThreadKeys()
  const [, second] = ['a', 'b'].map((id) => keyOf({ kind: 'agent', id, prompt: 'same' }))
  expect(keyOf({ kind: 'agent', id: null, prompt: 'same' })).toBe(second)
  expect(keyOf({ kind: 'agent', id: null, prompt: 'other' })).toEqual({ thread: 'agent', given: 'other', slot: 0 })
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
