import { expect, test } from 'vitest'
import { readHookAnswer, type AnswerReader } from '../../../../src/engines/hooks/hook-shim-payload.ts'

const WRITE: AnswerReader = { hook: { event: 'pre-tool-use' }, nativeEvent: 'PreToolUse', answers: undefined }
const specific = (fields: object): string => JSON.stringify({ hookSpecificOutput: fields })

function read(stdout: string, reader: Partial<AnswerReader> = {}): string {
  const answer = readHookAnswer(stdout, { ...WRITE, ...reader })
  return answer.kind === 'denied' ? `denied: ${answer.reason}` : answer.kind
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
test.for([
  specific({ hookEventName: 'PostToolUse', permissionDecision: 'deny' }),
  '{"permissionDecision":"deny"}',
  '{"decision":"deny","reason":"x"}',
  '{"decision":"blocked"}',
  specific({ permissionDecision: 'denied' }),
  '{"decision":"block",',
  '{"a":1}\n{"decision":"block"}',
  '[{"decision":"block"}]',
  'Checking...\n{"decision":"block"}',
  '{"continue":"false"}',
  '{"decision":"block","reason":5}',
  '{"action":"block"}',
  specific({ decision: { behavior: 'deny' } }),
  '{"hookSpecificOutput":"deny"}',
])('is ignored: %s', (stdout) => expect(read(stdout)).toBe('invalid'))

test('what is context for the model at the start of a session is no answer', () => {
  const text = 'The last entry was:\n{"decision":"block"}'
  expect(read(text, { hook: { event: 'session-start' }, nativeEvent: 'SessionStart' })).toBe('allowed')
  expect(read(text)).toBe('invalid')
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
  expect(read(ask, { unheeded })).toBe('invalid')
  expect(read(ends, { unheeded })).toBe('invalid')
  expect(read(ends, { unheeded, hook: { event: 'post-tool-use' }, nativeEvent: 'PostToolUse' })).toBe('denied: x')
})

test('a request for permission has a decision of its own', () => {
  const request = { hook: { event: 'permission-request' }, nativeEvent: 'PermissionRequest' }
  expect(read(specific({ decision: { behavior: 'deny', message: 'x' } }), request)).toBe('denied: x')
  expect(read(specific({ decision: { behavior: 'no' } }), request)).toBe('invalid')
})
