import { expect, test } from 'vitest'
import { createListener } from '../../../src/conversation/conversation.ts'
import type { AnswerBlock, ModelMessage, ModelRequest } from '../../../src/conversation/model.ts'

const USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

function user(text: string): ModelMessage {
  return { role: 'user', parts: [{ kind: 'text', text }] }
}

function asks(...messages: readonly ModelMessage[]): ModelRequest {
  return { thread: { kind: 'main' }, model: 'm', stream: false, system: [], messages, tools: [], offers: [] }
}

function ownAfter(...steps: readonly { readonly request: ModelRequest; readonly answer: readonly AnswerBlock[] }[]) {
  const { ask, conversation } = createListener()
  for (const { request, answer } of steps)
    ask(request).answered({ id: 'm', model: 'm', content: answer, stopReason: 'end-turn', usage: USAGE })
  return conversation().threads.flatMap(({ turns }) => turns.map(({ isOwn }) => isOwn))
}

const CALL = { kind: 'tool-call', id: 'c1', name: 'Bash', input: {} } as const
const CALLED: ModelMessage = { role: 'assistant', parts: [CALL] }

test('a request that goes on from an answer is of the session, and what a tool asks is not', () => {
  const words: AnswerBlock = { kind: 'text', text: 'It fails.' }
  const first = asks(user('Go.'))
  const ofTool = asks(user('Summarise this.'))
  const second = asks(user('Go.'), CALLED, user('a result'))
  const third = asks(user('Go.'), CALLED, user('a result'), { role: 'assistant', parts: [words] }, user('Once more.'))
  expect(
    ownAfter(
      { request: first, answer: [CALL] },
      { request: ofTool, answer: [{ kind: 'text', text: 'A summary.' }] },
      { request: second, answer: [words] },
      { request: third, answer: [words] },
    ),
  ).toEqual([true, false, true, true])
})

test('a request that was answered in more than one way is marked', () => {
  const { ask, conversation } = createListener()
  const { answered, brokeOff } = ask(asks(user('Go.')))
  brokeOff([{ kind: 'text', text: 'It' }])
  answered({ id: 'm', model: 'm', content: [CALL], stopReason: 'end-turn', usage: USAGE })
  expect(conversation().threads[0]?.turns[0]).toMatchObject({ isOwn: true, isRepeated: true })
})
