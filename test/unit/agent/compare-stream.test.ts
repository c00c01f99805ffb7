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
    'The records of the session differ: the engine\'s stream has the message "All tests pass.", and the gateway saw no model say it.',
  )
})

test.for(['claude-code', 'copilot'])('a call that no model made is named for %s', (name) => {
  expect(differ([CALL], saw(SAID), name)).toContain('a call of Read (a), and the gateway saw no model make it')
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

test('nothing is compared where an answer broke off', () => {
  const [thread] = saw(SAID).threads
  const turns = (thread?.turns ?? []).map((turn) => ({ ...turn, answer: null }))
  expect(differ([CALL], { threads: [{ thread: 'main', given: null, turns }], unanswered: [] })).toBeNull()
})
