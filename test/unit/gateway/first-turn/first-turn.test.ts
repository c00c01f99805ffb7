import { expect, test } from 'vitest'
import {
  createFirstTurn,
  findDifference,
  type FirstRequest,
  type StoredAnswer,
} from '../../../../src/gateway/first-turn/first-turn.ts'

const ID = '1f794898-b91e-4268-bc42-48e9ac513c44'
const OTHER_ID = '810ec064-793c-4af6-826a-e6c54e1f8a23'

function request(prompt: string, more: object = {}, session = ID): FirstRequest {
  const body = { messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }], user_id: session, ...more }
  return { path: '/v1/messages', headers: { 'x-session': session }, body: JSON.stringify(body), thread: 'main' }
}

test('requests of two sessions are equal but for their ids and prompts', () => {
  const [one, other] = [request('one'), request('another', { stream: true }, OTHER_ID)]
  expect(findDifference(one, other, [{ prompt: 'one' }, { prompt: 'another' }])).toBeNull()
  expect(findDifference(one, other)).toBe('body.messages.0.content.0.text, character 1: "one" and "another"')
})

test.for([
  [
    { date: 'today is Monday' },
    { date: 'today is Tuesday' },
    'body.date, character 10: "today is Monday" and "today is Tuesday"',
  ],
  [{ max: 1 }, { max: 2 }, 'body.max: 1 and 2'],
  [{ tools: [1] }, { tools: [1, 2] }, 'body.tools: 1 and 2 entries'],
  [{ a: 1 }, { b: 1 }, 'body: the fields messages, user_id, a and messages, user_id, b'],
  // The prompt inside another text is not exchanged.
  [{ hint: 'about one' }, { hint: 'about another' }, 'body.hint, character 7: "about one" and "about another"'],
] as const)('names the place in which %j and %j differ', ([left, right, difference]) => {
  const prompts = [{ prompt: 'one' }, { prompt: 'another' }] as const
  expect(findDifference(request('one', left), request('another', right), prompts)).toBe(difference)
})

const STORED: StoredAnswer = { status: 200, headers: {}, body: '', message: '{}', isCut: false }

test('an answer is handed over to the first request and to the same one again, and to no other', () => {
  const turn = createFirstTurn('probe')
  const serve = { kind: 'serve', answer: STORED }
  expect(turn.meets).toBe(false)
  expect(turn.meet(request('one'), 'a')).toEqual({ kind: 'pass' })
  turn.handOver({ request: request('one'), answer: STORED })
  expect(turn.meets).toBe(true)
  expect(turn.meet({ ...request('one'), thread: 'side:hook' }, 's')).toEqual({ kind: 'pass' })
  expect(turn.meet(request('one', {}, OTHER_ID), 'a')).toEqual(serve)
  expect(turn.meet(request('one', { stream: true }), 'a')).toEqual(serve)
  expect(turn.meet(request('two'), 'b')).toEqual({ kind: 'pass' })
  expect(turn.difference).toBeNull()
})

test('a failure is handed over once, so that the session retries as it always does', () => {
  const turn = createFirstTurn('probe')
  const failure = { ...STORED, status: 529, message: null }
  turn.handOver({ request: request('one'), answer: failure })
  expect(turn.meet(request('one'), 'a')).toEqual({ kind: 'serve', answer: failure })
  expect(turn.meet(request('one'), 'a')).toEqual({ kind: 'pass' })
})

test('a session that asks something else gets nothing', () => {
  const turn = createFirstTurn('probe')
  turn.handOver({ request: request('one'), answer: STORED })
  expect(turn.meet(request('one', { model: 'x' }), 'a')).toEqual({ kind: 'differs' })
  expect(turn.meet(request('one'), 'b')).toEqual({ kind: 'differs' })
  expect(turn.difference).toBe('body: the fields messages, user_id and messages, user_id, model')
})

test('a held request is kept and never answered', async () => {
  const turn = createFirstTurn('hold')
  const first = turn.first()
  expect(turn.meet(request('one'), 'a')).toEqual({ kind: 'hold' })
  expect(turn.meet(request('two'), 'b')).toEqual({ kind: 'hold' })
  expect(await first).toEqual(request('one'))
  expect(await turn.first()).toEqual(request('one'))
})
