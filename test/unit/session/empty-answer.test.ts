import { expect, test } from 'vitest'
import { describeEmptyAnswer, type AnswerEvidence } from '../../../src/session/build-agent-run.ts'
import type { AnswerBlock } from '../../../src/recordings/messages.ts'
import type { Conversation } from '../../../src/recordings/conversation.ts'

const CALL = { kind: 'tool-call', agent: null, id: 't', tool: 'Bash', input: {} } as const
const RESULT = { kind: 'tool-result', agent: null, id: 't', text: 'a.txt', isError: false, blockedBy: null } as const
const text = (words: string): AnswerBlock => ({ kind: 'text', text: words })
const looks: AnswerBlock = { kind: 'tool-call', id: 't', name: 'Bash', input: {} }
const message = (words: string, agent: string | null = null): AnswerEvidence['events'][number] => {
  return { kind: 'message', agent, text: words }
}

test.each([
  ['content: []', [], true],
  ['three dots', [text('...')], true],
  ['white space', [text(' \n')], true],
  ['thoughts alone', [{ kind: 'thinking', text: 'Hm.' }], true],
  ['words', [text('No skill is needed.')], false],
  ['words after thoughts', [{ kind: 'thinking', text: 'Hm.' }, text('Done.')], false],
  ['a call that the engine ended at', [looks], false],
] as const)('a run of a query whose last answer is %s', (_name, last, isEmpty) => {
  const observed = evidence({ conversation: answers([text('I look around.'), looks], last) })
  expect(describeEmptyAnswer(observed)).toBe(
    isEmpty ? 'The last answer of the model was empty. Run the case again.' : null,
  )
})

test('a sub-agent does not answer for the main thread', () => {
  const { threads } = answers([looks], [])
  const [helper] = answers([text('The helper is done.')]).threads
  const conversation = { threads: [...threads, { ...helper!, thread: 'agent' as const }], unanswered: [] }
  expect(describeEmptyAnswer(evidence({ conversation }))).not.toBeNull()
})

test('a hook that denies a tool does not excuse an empty last answer', () => {
  const decisions = [{ decision: 'denied-json' as const }]
  expect(describeEmptyAnswer(evidence({ conversation: answers([looks], []), decisions }))).not.toBeNull()
})

test('a replay is to be recorded again', () => {
  const request = { endsWith: { skills: ['notes'] }, source: { kind: 'replay', threads: [] } as never }
  expect(describeEmptyAnswer(evidence({ request, conversation: answers([]) }))).toContain('Record the case again.')
})

test('the events of an engine whose requests are not observed show the last answer', () => {
  const describe = (...events: AnswerEvidence['events']): string | null => describeEmptyAnswer(evidence({ events }))
  expect(describe(message('I look around.'), CALL, RESULT)).not.toBeNull()
  expect(describe(CALL, RESULT, message('...'))).not.toBeNull()
  expect(describe(CALL, RESULT, message('Done.', 'helper#1'))).not.toBeNull()
  expect(describe(CALL, RESULT, message('Done.'))).toBeNull()
  expect(describeEmptyAnswer(evidence({ output: '' }))).not.toBeNull()
  expect(describeEmptyAnswer(evidence({ output: 'Done.' }))).toBeNull()
})

test('a prompt that a hook refused has no answer, and needs none', () => {
  expect(describeEmptyAnswer(evidence({ output: '', meter: { requests: 0 } }))).toBeNull()
})

test('a run with calls that is no query may end without words, since its files are graded', () => {
  const request = { source: { kind: 'live' } } as const
  expect(describeEmptyAnswer(evidence({ request, events: [CALL, RESULT], output: '' }))).toBeNull()
})

function answers(...turns: readonly (readonly AnswerBlock[])[]): Conversation {
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
  const of = (content: readonly AnswerBlock[], index: number): Conversation['threads'][number]['turns'][number] => ({
    model: 'm',
    texts: [],
    offers: [],
    results: [],
    order: index,
    after: null,
    answer: { id: `msg_${index}`, model: 'm', content, stopReason: 'end-turn', usage },
  })
  return { threads: [{ thread: 'main', given: null, turns: turns.map(of) }], unanswered: [] }
}

function evidence(parts: Partial<AnswerEvidence>): AnswerEvidence {
  return {
    request: { endsWith: { skills: ['notes'] }, source: { kind: 'live' } },
    events: [],
    output: 'I look around.',
    meter: { requests: 2 },
    conversation: null,
    decisions: [],
    ...parts,
  }
}
