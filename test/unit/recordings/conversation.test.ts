import { expect, test } from 'vitest'
import { createListener } from '../../../src/recordings/conversation.ts'
import type { ModelRequest } from '../../../src/recordings/messages.ts'

function asks(...texts: readonly string[]): ModelRequest {
  const parts = texts.map((text) => ({ kind: 'text', text }) as const)
  return {
    thread: { kind: 'main' },
    model: 'm',
    stream: false,
    system: [],
    messages: [{ role: 'user', parts }],
    tools: [],
    offers: [],
  }
}

test('the size of a conversation grows with what is new in its requests and answers', () => {
  const { ask, size } = createListener()
  const text = 'a'.repeat(100_000)
  const { answered, brokeOff } = ask(asks(text))
  const first = size()
  expect(first).toBeGreaterThan(100_000)
  ask(asks(text))
  expect(size()).toBe(first)
  ask(asks(text, 'b'))
  expect(size() - first).toBeLessThan(2000)
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
  answered({ id: 'm', model: 'm', content: [{ kind: 'text', text }], stopReason: 'end-turn', usage })
  brokeOff([{ kind: 'text', text }])
  expect(size()).toBeGreaterThan(300_000)
})
