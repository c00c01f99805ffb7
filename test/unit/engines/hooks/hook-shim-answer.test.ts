import { expect, test } from 'vitest'
import { readHookAnswer, type AnswerReader } from '../../../../src/engines/hooks/hook-shim-payload.ts'

const WRITE: AnswerReader = { hook: { event: 'pre-tool-use' }, nativeEvent: 'PreToolUse', answers: undefined }
const specific = (fields: object): string => JSON.stringify({ hookSpecificOutput: fields })

function read(stdout: string, reader: Partial<AnswerReader> = {}): string {
  const answer = readHookAnswer(stdout, { ...WRITE, ...reader })
  return answer.kind === 'allowed' ? 'allowed' : `${answer.kind}: ${answer.reason}`
}

test.for<readonly [string, string]>([
  ['', 'allowed'],
  ['All is well.\n', 'allowed'],
  ['{}', 'allowed'],
  ['{ not json', 'allowed'],
  ['{"suppressOutput":true}', 'allowed'],
  ['{"status":"ok","checked":3}', 'allowed'],
  ['{"decision":"approve"}', 'allowed'],
  [specific({ hookEventName: 'pre-tool-use', permissionDecision: 'allow' }), 'allowed'],
  [specific({ hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'x' }), 'denied: x'],
  ['{"decision":"block","reason":"x"}\n', 'denied: x'],
  ['{"continue":false,"stopReason":"x"}', 'denied: x'],
])('is an answer: %s -> %s', ([stdout, expected]) => expect(read(stdout)).toBe(expected))

// The real Claude Code carried the call out after each of these.
test.for<readonly [string, string]>([
  [
    specific({ hookEventName: 'PostToolUse', permissionDecision: 'deny' }),
    'hookEventName is "PostToolUse", and the event is pre-tool-use',
  ],
  ['{"permissionDecision":"deny"}', 'permissionDecision is not inside hookSpecificOutput'],
  ['{"decision":"deny","reason":"x"}', 'decision is "deny", and only block and approve are known'],
  ['{"decision":"blocked"}', 'decision is "blocked", and only block and approve are known'],
  [
    specific({ permissionDecision: 'denied' }),
    'permissionDecision is "denied", and only allow, deny, ask, defer are known',
  ],
  ['{"decision":"block",', 'its answer is not one JSON object'],
  ['{"a":1}\n{"decision":"block"}', 'its answer is not one JSON object'],
  ['[{"decision":"block"}]', 'its answer is not one JSON object'],
  ['Checking...\n{"decision":"block"}', 'it prints text beside its JSON answer; print the JSON alone'],
  ['{"continue":"false"}', 'continue is "false", not true or false'],
  ['{"decision":"block","reason":5}', 'reason is not a text'],
  ['{"action":"block"}', 'no engine knows its field "action"; write decision or permissionDecision'],
  [
    specific({ decision: { behavior: 'deny' } }),
    'hookSpecificOutput.decision is for the event permission-request; write permissionDecision',
  ],
  ['{"hookSpecificOutput":"deny"}', 'hookSpecificOutput is not an object'],
])('is ignored: %s', ([stdout, reason]) => expect(read(stdout)).toBe(`invalid: ${reason}`))

test('what is context for the model at the start of a session is no answer', () => {
  const text = 'The last entry was:\n{"decision":"block"}'
  expect(read(text, { hook: { event: 'session-start' }, nativeEvent: 'SessionStart' })).toBe('allowed')
  expect(read(text)).toContain('invalid')
})

test('an engine that understands nothing but JSON gets every denial anew', () => {
  expect(read('{"decision":"deny","reason":"x"}', { answers: 'json' })).toBe('denied: x')
  expect(read('{"permissionDecision":"deny"}', { answers: 'json' })).toBe('allowed')
})

test('an engine that takes an answer for a mistake has its hooks told so, before a call alone', () => {
  const unheeded = ['ask', 'continue'] as const
  const ask = specific({ permissionDecision: 'ask', permissionDecisionReason: 'x' })
  const ends = '{"continue":false,"stopReason":"x"}'
  expect([read(ask), read(ends)]).toEqual(['denied: x', 'denied: x'])
  expect(read(ask, { unheeded })).toMatch(/^invalid: permissionDecision is "ask".*write "deny"$/)
  expect(read(ends, { unheeded })).toMatch(/^invalid: continue is false/)
  expect(read(ends, { unheeded, hook: { event: 'post-tool-use' }, nativeEvent: 'PostToolUse' })).toBe('denied: x')
})

test('a request for permission has a decision of its own', () => {
  const request = { hook: { event: 'permission-request' }, nativeEvent: 'PermissionRequest' }
  expect(read(specific({ decision: { behavior: 'deny', message: 'x' } }), request)).toBe('denied: x')
  expect(read(specific({ decision: { behavior: 'no' } }), request)).toBe(
    'invalid: behavior is "no", and only allow and deny are known',
  )
})
