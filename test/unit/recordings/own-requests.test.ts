import { expect, test } from 'vitest'
import { createListener } from '../../../src/recordings/conversation.ts'
import type { AnswerBlock, ModelMessage, ModelRequest } from '../../../src/recordings/messages.ts'

const USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

function user(text: string): ModelMessage {
  return { role: 'user', parts: [{ kind: 'text', text }] }
}

function asks(...messages: readonly ModelMessage[]): ModelRequest {
  return { thread: { kind: 'main' }, model: 'm', stream: false, system: [], messages, tools: [], offers: [] }
}

function afterEach(...steps: readonly { readonly request: ModelRequest; readonly answer: readonly AnswerBlock[] }[]) {
  const { ask, conversation } = createListener(() => 0)
  for (const { request, answer } of steps)
    ask(request).answered({ id: 'm', model: 'm', content: answer, stopReason: 'end-turn', usage: USAGE })
  return conversation().threads.flatMap(({ turns }) => turns.map(({ after }) => after))
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
    afterEach(
      { request: first, answer: [CALL] },
      { request: ofTool, answer: [{ kind: 'text', text: 'A summary.' }] },
      { request: second, answer: [words] },
      { request: third, answer: [words] },
    ),
  ).toEqual([null, null, 0, 2])
})

test('of a request that was answered in more than one way, the calls that the session made are known', () => {
  const { ask, conversation } = createListener(() => 0)
  const usage = { model: 'm', stopReason: 'end-turn', usage: USAGE } as const
  const first = ask(asks(user('Go.')))
  first.brokeOff([{ ...CALL, id: 'c0' }])
  first.answered({ id: 'm', content: [{ kind: 'text', text: 'It fails.' }], ...usage })
  const [before] = conversation().threads[0]?.turns ?? []
  expect(before).toMatchObject({ answer: { content: [{ text: 'It fails.' }] }, others: [[{ id: 'c0' }]] })
  ask(asks(user('Go.'), { role: 'assistant', parts: [{ ...CALL, id: 'c0' }] }, user('a result')))
  expect(conversation().threads[0]?.turns).toMatchObject([{ taken: [{ id: 'c0' }] }, { after: 0 }])
})

test('a request that holds only a summary of what came before goes on from there', () => {
  const { ask, conversation } = createListener(() => 0)
  const answer = (request: ModelRequest, text: string): void =>
    ask(request).answered({
      id: 'm',
      model: 'm',
      content: [{ kind: 'text', text }],
      stopReason: 'end-turn',
      usage: USAGE,
    })
  const said: ModelMessage = { role: 'assistant', parts: [{ kind: 'text', text: 'I look around.' }] }
  answer(asks(user('Go.')), 'I look around.')
  const compact = { ...asks(user('Go.'), said, user('Summarise.')), thread: { kind: 'side', name: 'compact' } } as const
  answer(compact, '<analysis>Hm.</analysis>\n<summary>\nThe agent looked around.\n</summary>')
  answer(asks(user('It goes on. Summary:\nThe agent looked  around.')), 'Done.')
  answer(asks(user('A tool asks this by itself.')), 'Yes.')
  const main = conversation().threads.find(({ thread }) => thread === 'main')
  expect(main?.turns.map(({ after }) => after)).toEqual([null, 0, null])
})

test('an answer that says nothing is gone on from by whatever is asked next', () => {
  const next = asks(user('Go.'), user('Say something.'))
  expect(afterEach({ request: asks(user('Go.')), answer: [] }, { request: next, answer: [] })).toEqual([null, 0])
})

test('requests of all threads have an order', () => {
  const { ask, conversation } = createListener(() => 0)
  ask(asks(user('Go.')))
  ask({ ...asks(user('Help.')), thread: { kind: 'agent', id: 'a', prompt: 'Help.' } })
  ask(asks(user('Go.'), user('On.')))
  expect(conversation().threads.map(({ turns }) => turns.map(({ order }) => order))).toEqual([[0, 2], [1]])
})

test('a result that a request gives otherwise than the one before is kept beside it', () => {
  const { ask, conversation } = createListener(() => 0)
  const gives = (text: string): ModelMessage => ({
    role: 'user',
    parts: [{ kind: 'tool-result', id: 'c1', text, isError: false }],
  })
  for (const messages of [[gives('one')], [gives('one'), user('On.')], [gives('two')]]) ask(asks(...messages))
  expect(conversation().threads[0]?.turns.map(({ results, changed }) => [results.length, changed?.[0]?.text])).toEqual([
    [1, undefined],
    [0, undefined],
    [0, 'two'],
  ])
})

test('words of the engine that happen to hold an answer make no request go on from it', () => {
  const engine: ModelMessage = { role: 'developer', parts: [{ kind: 'text', text: 'Say when you are done.' }] }
  const done: AnswerBlock = { kind: 'text', text: 'done' }
  expect(
    afterEach(
      { request: asks(engine, user('Go.')), answer: [CALL] },
      { request: asks(user('What a tool asks.')), answer: [done] },
      { request: asks(engine, user('Go.'), CALLED, user('a result')), answer: [done] },
    ),
  ).toEqual([null, null, 0])
})
