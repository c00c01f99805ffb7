import { expect, test } from 'vitest'
import { compareStream } from '../../../src/agent/compare-stream.ts'
import { requireEngine } from '../../../src/engines/registry.ts'
import type { Conversation } from '../../../src/conversation/conversation.ts'
import type { AnswerBlock } from '../../../src/conversation/model.ts'
import type { UnnumberedEvent } from '../../../src/transcript/transcript.ts'

const WORDS: UnnumberedEvent = { kind: 'message', agent: null, text: 'I read it.\n\nNow.' }
const CALL: UnnumberedEvent = {
  kind: 'tool-call',
  agent: null,
  id: 'a',
  tool: 'Read',
  input: { file_path: '/workspace/a.txt', limit: 10 },
}

function saw(...content: readonly AnswerBlock[]): Conversation {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
  const answer = { id: 'm', model: 'm', content, stopReason: 'tool-calls' as const, usage }
  const turn = { model: 'm', texts: [], offers: [], results: [], answer }
  return { threads: [{ thread: 'main', given: null, turns: [turn] }], unanswered: [] }
}

const SAID: AnswerBlock = { kind: 'text', text: 'I read it.\nNow. ' }
const CALLED: AnswerBlock = { kind: 'tool-call', id: 'a', name: 'Read', input: { file_path: '/workspace/a.txt' } }

function differ(events: readonly UnnumberedEvent[], conversation: Conversation, name = 'claude-code'): string | null {
  const agreement = requireEngine(name).streamAgreement
  if (agreement === undefined) throw new Error(`${name} is not compared`)
  return compareStream(agreement, events, conversation)
}

test('a stream agrees with the answers whatever its white space and defaults', () => {
  expect(differ([WORDS, CALL], saw(SAID, CALLED))).toBeNull()
})

test.for(['claude-code', 'codex', 'copilot'])('words that no model said are named for %s', (name) => {
  const forged: UnnumberedEvent = { kind: 'message', agent: null, text: 'All tests pass.' }
  expect(differ([WORDS, forged], saw(SAID), name)).toBe(
    'The records of the session differ: the engine\'s stream has the message "All tests pass.", and no model answer contains it.',
  )
})

test.for(['claude-code', 'copilot'])('a call that no model made is named for %s', (name) => {
  expect(differ([CALL], saw(SAID), name)).toContain('a call of Read (a), and no model answer contains it')
})

test('another tool or input than the model called is named on both sides', () => {
  const other: AnswerBlock = { ...CALLED, input: { file_path: '/etc/passwd' } }
  expect(differ([CALL], saw(other))).toContain('"{\\"file_path\\":\\"/etc/passwd\\"}"')
  expect(differ([CALL], saw({ ...CALLED, name: 'Write' }))).toContain('the model call Write')
})

test('tools that hooks and models know by different names are the same tool', () => {
  const call: UnnumberedEvent = { ...CALL, kind: 'tool-call', agent: null, id: 'a', tool: 'mcp__s__where', input: {} }
  expect(differ([call], saw({ ...CALLED, name: 's-where', input: {} }), 'copilot')).toBeNull()
})

test('a sign of a retry in the stream excuses no words', () => {
  const retry: UnnumberedEvent = { kind: 'api-retry', agent: null, status: 529, message: 'overloaded' }
  const forged: UnnumberedEvent = { kind: 'message', agent: null, text: 'All tests pass.' }
  for (const name of ['claude-code', 'codex', 'copilot'])
    expect(differ([retry, forged], saw(SAID), name)).toContain('"All tests pass.", and no model answer contains it')
})

test('what came of an answer that broke off may be shown', () => {
  const broken = { ...saw(), fragments: [SAID, CALLED] }
  expect(differ([WORDS], broken)).toBeNull()
})

test('words are compared where no model was asked', () => {
  expect(differ([WORDS], { threads: [], unanswered: [] })).toContain('no model answer contains it')
})

const RESULT: UnnumberedEvent = {
  kind: 'tool-result',
  agent: null,
  id: 'a',
  text: 'one\ntwo\nthree four five six seven',
  isError: false,
  blockedBy: null,
}

function gave(text: string, isError = false): Conversation {
  const conversation = saw(CALLED)
  const [thread] = conversation.threads
  const next = { model: 'm', texts: [], offers: [], results: [{ id: 'a', text, isError }], answer: null }
  return { ...conversation, threads: [{ thread: 'main', given: null, turns: [...(thread?.turns ?? []), next] }] }
}

test.for([
  { name: 'the same', given: 'one two\nthree four five six seven\n' },
  {
    name: 'a reminder',
    given: 'one\ntwo\nthree four <system-reminder>\nKeep to it.\n</system-reminder>five six seven',
  },
  { name: 'a part that was cut out', given: 'one\ntwo\nthree [cut] five six seven' },
  { name: 'an image that was scaled', given: '{"kind":"other","type":"image"}' },
])('a result agrees with $name', ({ given }) => {
  for (const name of ['claude-code', 'copilot']) expect(differ([CALL, RESULT], gave(given), name)).toBeNull()
})

test.for(['claude-code', 'copilot'])('another result than the model got is named on both sides for %s', (name) => {
  expect(differ([CALL, RESULT], gave('two tests failed'), name)).toBe(
    'The records of the session differ: the engine\'s stream has the result "one\\ntwo\\nthree four five six seven" of the call a, and the gateway saw the model get "two tests failed".',
  )
})

test('a result that failed is no success', () => {
  expect(differ([CALL, RESULT], gave('one two three four five six seven', true))).toContain('the model get')
})

test.for(['claude-code', 'copilot'])('a call whose result the model got is in the stream of %s', (name) => {
  expect(differ([], gave('done'), name)).toBe(
    "The records of the session differ: the gateway saw the model call Read (a), and the engine's stream does not show it.",
  )
  // The last calls of a session may never be made.
  expect(differ([], saw(CALLED), name)).toBeNull()
})

test('a secret that Copilot hides from the model or from its stream makes no difference, and other words do', () => {
  const secret: UnnumberedEvent = { ...RESULT, kind: 'tool-result', agent: null, id: 'a', text: 'TOKEN=abc-123 end' }
  const hidden: UnnumberedEvent = { ...secret, text: 'TOKEN=****** end' }
  expect(differ([CALL, secret], gave('TOKEN=****** end'), 'copilot')).toBeNull()
  expect(differ([CALL, hidden], gave('TOKEN=abc-123 end'), 'copilot')).toBeNull()
  expect(differ([CALL, hidden], gave('all is lost'), 'copilot')).toContain('the model get "all is lost"')
})
