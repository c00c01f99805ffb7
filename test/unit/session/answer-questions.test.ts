import { expect, test } from 'vitest'
import { claudeCode } from '../../../src/engines/claude-code/engine.ts'
import type { AskedQuestion } from '../../../src/engines/engine.ts'
import { answerQuestions } from '../../../src/session/answer-questions.ts'

const COLOUR: AskedQuestion = {
  question: 'Which colour?',
  heading: 'Look',
  options: ['Red', 'Dark  blue'],
  takesSeveral: false,
}
const SIZES: AskedQuestion = {
  question: 'Which sizes?',
  heading: 'Size',
  options: ['Small', 'Large'],
  takesSeveral: true,
}
const by = (value: string, ...answer: string[]): Parameters<typeof answerQuestions>[0][number] => ({
  question: { value, flags: '' },
  answer,
})
const option = (...answer: string[]): Parameters<typeof answerQuestions>[0][number] => ({ question: null, answer })

test.for([
  ['the first entry that fits', [by('sizes', 'Small'), by('colour', 'Red'), option('dark blue')], 'Red'],
  ['a label without letter case and in other space', [option('DARK blue')], 'Dark  blue'],
  ['the heading', [by('^Look$', 'Red')], 'Red'],
  ["a text of the user's own, where the question is named", [by('colour', 'a warm one')], 'a warm one'],
  ['only what is offered, where it is not', [option('a warm one')], null],
  ['one of several only where it takes several', [by('colour', 'Red', 'Dark blue')], null],
] as const)('answers %s', ([, entries, said]) => {
  const { answer, notices } = answerQuestions(entries)
  expect(answer({ questions: [COLOUR] })).toEqual(said === null ? null : { 'Which colour?': said })
  expect(notices()).toEqual(said === null ? ['The agent asked "Which colour?", and no entry of `answers` fits.'] : [])
})

test('answers all questions of a call or none', () => {
  const some = answerQuestions([option('Red')])
  expect(some.answer({ questions: [COLOUR, SIZES] })).toBe(null)
  expect(some.notices()).toEqual(['The agent asked "Which sizes?", and no entry of `answers` fits.'])
  const all = answerQuestions([option('Red'), option('large', 'small')])
  expect(all.answer({ questions: [COLOUR, SIZES] })).toEqual({ 'Which colour?': 'Red', 'Which sizes?': 'Large, Small' })
})

test('a pattern that takes for ever fits nothing, and a flood of questions ends', { timeout: 30_000 }, () => {
  const { answer, notices } = answerQuestions([by('^(a+)+$', 'Red')])
  expect(answer({ questions: [{ ...COLOUR, question: `${'a'.repeat(40)}!` }] })).toBe(null)
  for (let n = 0; n < 200; n += 1) answer({ questions: [{ ...COLOUR, question: `Is it ${n}?` }] })
  expect(notices()).toEqual([
    expect.stringContaining('aaaa'),
    ...[0, 1, 2, 3].map((n) => `The agent asked "Is it ${n}?", and no entry of \`answers\` fits.`),
    'It asked 95 more that none fits.',
    'It asked 201 times; only the first 100 were looked at.',
    expect.stringContaining('the pattern took longer'),
  ])
})

const { questions } = claudeCode.dialogue ?? {}
const line = (request: object): string => JSON.stringify({ type: 'control_request', request_id: 'r1', request })
const replyTo = (request: object, answers: Readonly<Record<string, string>> | null): unknown => {
  const asked = questions?.read(line(request)) ?? null
  return asked === null ? null : JSON.parse(questions?.reply(asked, answers) ?? 'null')
}
const refused = (message: string): object => ({
  type: 'control_response',
  response: { subtype: 'success', response: { behavior: 'deny', message }, request_id: 'r1' },
})

test('Claude Code is refused every call that is no question, as by itself', () => {
  const call = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } }
  expect(replyTo(call, null)).toEqual(
    refused('Permission to use Bash has been denied because nobody is there to give it.'),
  )
  expect(replyTo({ ...call, decision_reason_type: 'hook', decision_reason: 'Sure?' }, null)).toEqual(refused('Sure?'))
  expect(questions?.read(line(call))?.questions).toEqual([])
  expect(answerQuestions([option('Red')]).answer({ questions: [] })).toBe(null)
  expect(replyTo({ subtype: 'elicitation' }, null)).toMatchObject({ response: { subtype: 'error', request_id: 'r1' } })
  for (const text of ['{"type":"control_request"}', '"control_request"', '{"control_request', '{"type":"result"}'])
    expect(questions?.read(text)).toBe(null)
})

test('Claude Code is answered with its own questions', () => {
  const input = {
    questions: [{ question: 'Which?', header: 'H', options: [{ label: 'A' }], multiSelect: false }],
    x: 1,
  }
  const asked = { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input }
  expect(questions?.read(line(asked))?.questions).toEqual([
    { question: 'Which?', heading: 'H', options: ['A'], takesSeveral: false },
  ])
  expect(replyTo(asked, { 'Which?': 'A' })).toMatchObject({
    response: {
      response: { behavior: 'allow', updatedInput: { questions: input.questions, answers: { 'Which?': 'A' } } },
    },
  })
  expect(replyTo(asked, null)).toEqual(refused('Nobody is there to answer.'))
})
