import { expect, test } from 'vitest'
import { findHookDrift, recordHooks } from '../../../src/recordings/drift.ts'
import { findUnusedAnswers } from '../../../src/recordings/build.ts'
import type { HookDecision } from '../../../src/transcript/transcript.ts'
import { numberEvents } from '../../../src/transcript/select.ts'
import { agentThread, conversationOf, mainThread, ours, record, turnOf } from '../../support/recorded-conversation.ts'

function decided(...hooks: readonly (readonly [event: string, tool: string | null, decision: HookDecision])[]) {
  const events = hooks.map(([event, tool, decision]) => {
    return { kind: 'hook', agent: null, event, tool, decision, exitCode: 0, reason: 'any' } as const
  })
  return recordHooks({ transcript: numberEvents(events) })
}

test('hooks that let a session go on are not noted, and their order is none', () => {
  expect(
    decided(
      ['pre-tool-use', 'Write', 'allowed'],
      ['pre-tool-use', 'Write', 'blocked-exit-2'],
      ['post-tool-use', 'Write', 'denied-json'],
      ['session-end', null, 'timed-out'],
    ),
  ).toEqual([
    { event: 'post-tool-use', tool: 'Write', decision: 'denied-json' },
    { event: 'pre-tool-use', tool: 'Write', decision: 'blocked-exit-2' },
    { event: 'session-end', tool: null, decision: 'timed-out' },
  ])
})

test('a hook that blocks no more, or blocks now, has drifted', () => {
  const blocked = decided(['post-tool-use', 'Write', 'blocked-exit-2'], ['post-tool-use', 'Write', 'blocked-exit-2'])
  const once = decided(['post-tool-use', 'Write', 'blocked-exit-2'])
  const failed = decided(['session-start', null, 'failed'])
  expect(findHookDrift(blocked, blocked)).toEqual([])
  expect(findHookDrift(blocked, once)).toEqual([
    { call: 'the hook of post-tool-use (Write)', line: null, recorded: 'blocked-exit-2', now: 'none' },
  ])
  expect(findHookDrift([], failed)).toEqual([
    { call: 'the hook of session-start', line: null, recorded: 'none', now: 'failed' },
  ])
  expect(findHookDrift(null, failed)).toEqual([])
})

test('answers that a finished replay never asked for are named', () => {
  const whole = conversationOf(mainThread(turnOf({}), turnOf({})), agentThread('Look.', turnOf({})), {
    thread: 'side:hook',
    given: null,
    turns: [turnOf({})],
  })
  const recording = record(whole, ours({}))
  expect(findUnusedAnswers(recording, whole)).toEqual([])
  expect(findUnusedAnswers(recording, conversationOf(mainThread(turnOf({}))))).toEqual([
    'the main thread sent 1 of its 2 requests and ended.',
    'a sub-agent given "Look." sent 0 of its 1 requests and ended.',
  ])
})
