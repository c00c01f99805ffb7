import { expect, test } from 'vitest'
import { withCallIds } from '../../../../src/engines/stream.ts'
import { hashOfInput } from '../../../../src/engines/hooks/hook-shim-payload.ts'
import type { RecordedDecision } from '../../../../src/engines/hooks/hook-plan.ts'
import type { JsonValue } from '../../../../src/lib/json.ts'
import type { UnnumberedEvent } from '../../../../src/transcript/transcript.ts'

function call(id: string, tool: string, input: JsonValue): UnnumberedEvent {
  return { kind: 'tool-call', agent: null, id, tool, input }
}

function decision(id: string, tool: string, input?: JsonValue): RecordedDecision {
  return {
    id,
    event: 'pre-tool-use',
    tool,
    toolCallId: null,
    ...(input === undefined ? {} : { input: hashOfInput(input) }),
    decision: 'allowed',
    exitCode: 0,
    reason: '',
    durationMs: 1,
  }
}

const EVENTS = [
  call('1', 'Bash', { command: 'ls' }),
  call('2', 'Read', { path: 'a' }),
  call('3', 'Bash', { command: 'ls' }),
  call('4', 'mcp__tally__count', { word: 'x' }),
]

test('the n-th decision of a hook on equal calls is the n-th call’s', () => {
  const decisions = [
    decision('first', 'Bash', { command: 'ls' }),
    decision('second', 'Bash', { command: 'ls' }),
    decision('first', 'Bash', { command: 'ls' }),
    decision('second', 'Bash', { command: 'ls' }),
    decision('first', 'Bash', { command: 'ls' }),
  ]
  expect(withCallIds(EVENTS, decisions).map(({ toolCallId }) => toolCallId)).toEqual(['1', '1', '3', '3', null])
})

test('a call of another tool is not meant, but hooks know those of MCP servers by other names', () => {
  const decisions = [
    decision('h', 'Edit', { path: 'a' }),
    decision('h', 'tally-count', { word: 'x' }),
    decision('h', 'Bash'),
  ]
  expect(withCallIds(EVENTS, decisions).map(({ toolCallId }) => toolCallId)).toEqual([null, '4', null])
})
