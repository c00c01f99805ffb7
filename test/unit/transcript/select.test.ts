import { expect, test } from 'vitest'
import {
  blockedCalls,
  finalMessage,
  hookDecisions,
  numberEvents,
  skillsUsed,
  toolCalls,
} from '../../../src/transcript/select.ts'

const transcript = numberEvents([
  { kind: 'message', agent: null, text: 'hi' },
  { kind: 'tool-call', agent: null, id: 'a', tool: 'Write', input: {} },
  {
    kind: 'hook',
    agent: null,
    event: 'pre-tool-use',
    tool: 'Write',
    decision: 'blocked-exit-2',
    exitCode: 2,
    reason: 'no',
  },
  { kind: 'tool-call', agent: 'reviewer#x', id: 'b', tool: 'Bash', input: {} },
  { kind: 'tool-result', agent: 'reviewer#x', id: 'b', text: 'denied', isError: true, blockedBy: 'permission' },
  { kind: 'tool-result', agent: null, id: 'a', text: 'no', isError: true, blockedBy: 'hook' },
  { kind: 'skill-used', agent: null, skill: 'pdf', via: 'tool' },
  { kind: 'skill-used', agent: null, skill: 'docx', via: 'read' },
  { kind: 'skill-used', agent: null, skill: 'pdf', via: 'read' },
  { kind: 'tool-call', agent: null, id: 'c', tool: 'Read', input: {} },
  { kind: 'hook', agent: null, event: 'stop', tool: null, decision: 'allowed', exitCode: 0, reason: '' },
])
const run = { transcript, finalMessage: 'bye' }

test('events are numbered from 1', () => {
  expect(transcript.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
})

test('calls have their results', () => {
  expect(toolCalls(run).map(({ call, result }) => [call.tool, result?.n ?? null])).toEqual([
    ['Write', 6],
    ['Bash', 5],
    ['Read', null],
  ])
})

test('blocked calls, by anybody or by one', () => {
  expect(blockedCalls(run).map(({ call, by }) => [call.tool, by])).toEqual([
    ['Write', 'hook'],
    ['Bash', 'permission'],
  ])
  expect(blockedCalls(run, 'hook').map(({ call }) => call.tool)).toEqual(['Write'])
  expect(blockedCalls(run, 'sandbox')).toEqual([])
})

test('skills, decisions and the last words', () => {
  expect(skillsUsed(run)).toEqual(['pdf', 'docx'])
  expect(hookDecisions(run).map(({ decision }) => decision)).toEqual(['blocked-exit-2', 'allowed'])
  expect(hookDecisions(run, 'stop')).toEqual([transcript[10]])
  expect(finalMessage(run)).toBe('bye')
})
