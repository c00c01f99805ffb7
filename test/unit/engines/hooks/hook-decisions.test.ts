import { expect, test } from 'vitest'
import { mergeDecisions, parseDecisions } from '../../../../src/engines/hooks/hook-decisions.ts'
import type { RecordedDecision } from '../../../../src/engines/hooks/hook-plan.ts'
import type { UnnumberedEvent } from '../../../../src/transcript/transcript.ts'

function decision(event: string, toolCallId: string | null, more: Partial<RecordedDecision> = {}): RecordedDecision {
  return {
    id: `${event}-0-0`,
    event,
    tool: toolCallId === null ? null : 'Write',
    toolCallId,
    decision: 'allowed',
    exitCode: 0,
    reason: '',
    durationMs: 1,
    ...more,
  }
}

function call(id: string, agent: string | null = null): UnnumberedEvent {
  return { kind: 'tool-call', agent, id, tool: 'Write', input: {} }
}

function result(id: string, blockedBy: 'hook' | null = null): UnnumberedEvent {
  return { kind: 'tool-result', agent: null, id, text: 'why', isError: blockedBy !== null, blockedBy }
}

const MESSAGE: UnnumberedEvent = { kind: 'message', agent: null, text: 'hi' }

function show(events: readonly UnnumberedEvent[]): readonly string[] {
  return events.map((event) =>
    event.kind === 'hook'
      ? `${event.event} ${event.decision}${event.agent === null ? '' : ` by ${event.agent}`}`
      : event.kind,
  )
}

test('each decision appears once, where it belongs', () => {
  const events = [MESSAGE, call('a'), call('b', 'reviewer#x'), result('b'), result('a'), MESSAGE]
  const decisions = [
    decision('session-start', null),
    decision('pre-prompt', null),
    decision('pre-tool-use', 'a'),
    decision('pre-tool-use', 'a', { decision: 'blocked-exit-2', exitCode: 2 }),
    decision('pre-tool-use', 'b'),
    decision('post-tool-use', 'a', { decision: 'failed', exitCode: 1 }),
    decision('pre-tool-use', 'unseen', { decision: 'timed-out', exitCode: null }),
    decision('stop', null),
  ]
  expect(show(mergeDecisions(events, decisions))).toEqual([
    'session-start allowed',
    'pre-prompt allowed',
    'message',
    'tool-call',
    'pre-tool-use allowed',
    'pre-tool-use blocked-exit-2',
    'tool-call',
    'pre-tool-use allowed by reviewer#x',
    'tool-result',
    'tool-result',
    'post-tool-use failed',
    'message',
    'pre-tool-use timed-out',
    'stop allowed',
  ])
})

test('a decision after a call whose result is missing stands beside the call', () => {
  expect(show(mergeDecisions([call('a')], [decision('post-tool-use', 'a')]))).toEqual([
    'tool-call',
    'post-tool-use allowed',
  ])
})

test('a block that the shim knows nothing of is the engine’s own hook', () => {
  const events = [call('a'), result('a', 'hook')]
  expect(mergeDecisions(events, [decision('pre-tool-use', 'a')]).at(-1)).toEqual({
    kind: 'hook',
    agent: null,
    event: 'pre-tool-use',
    tool: 'Write',
    decision: 'denied-json',
    exitCode: null,
    reason: 'why',
  })
  expect(show(mergeDecisions(events, [decision('pre-tool-use', 'a', { decision: 'denied-json' })]))).toEqual([
    'tool-call',
    'pre-tool-use denied-json',
    'tool-result',
  ])
})

test('a transcript without hooks stays as it is', () => {
  const events = [MESSAGE, call('a'), result('a')]
  expect(mergeDecisions(events, [])).toEqual(events)
})

test('a line that was cut off is left out', () => {
  const whole = decision('stop', null)
  expect(parseDecisions(`${JSON.stringify(whole)}\n\n{"id":"x"}\nnull\n{"id":"stop-0-0","ev`)).toEqual([whole])
})

test('a block for want of the script is the one that the shim recorded', () => {
  const events = [call('a'), result('a', 'hook')]
  const missing = decision('pre-tool-use', 'a', { decision: 'missing', exitCode: 2 })
  expect(show(mergeDecisions(events, [missing]))).toEqual(['tool-call', 'pre-tool-use missing', 'tool-result'])
})

test('a call that was stopped because its hook broke is denied by nothing else', () => {
  const events = [call('a'), result('a', 'hook')]
  const failed = decision('pre-tool-use', 'a', { decision: 'failed', exitCode: 1 })
  expect(show(mergeDecisions(events, [failed]))).toEqual(['tool-call', 'pre-tool-use failed', 'tool-result'])
})

test('a denial that was told of another input belongs to the call that nothing else stopped', () => {
  const denial = decision('permission-request', null, { tool: 'edit', decision: 'blocked-exit-2', exitCode: 2 })
  const events = [call('a'), result('a', 'hook'), call('b'), result('b'), call('c'), result('c', 'hook'), MESSAGE]
  const decisions = [decision('pre-tool-use', 'a', { decision: 'denied-json' }), decision('pre-tool-use', 'c'), denial]
  const merged = mergeDecisions(events, decisions)
  expect(show(merged)).toEqual([
    'tool-call',
    'pre-tool-use denied-json',
    'tool-result',
    'tool-call',
    'tool-result',
    'tool-call',
    'pre-tool-use allowed',
    'permission-request blocked-exit-2',
    'tool-result',
    'message',
  ])
  expect(merged.find((event) => event.kind === 'hook' && event.event === 'permission-request')).toMatchObject({
    tool: 'Write',
  })
})
