import { expect, test } from 'vitest'
import { findUnusedAnswers } from '../../../src/recordings/build.ts'
import { compareHooks, recordHooks, withUnstableWords } from '../../../src/recordings/hook-drift.ts'
import type { RecordedHook } from '../../../src/recordings/recording.ts'
import type { HookDecision, HookWords } from '../../../src/transcript/transcript.ts'
import { numberEvents } from '../../../src/transcript/select.ts'
import {
  agentThread,
  conversationOf,
  FORM,
  mainThread,
  ours,
  record,
  turnOf,
} from '../../support/recorded-conversation.ts'

type SeenHook = readonly [event: string, tool: string | null, decision: HookDecision, context?: string]

function seen(...hooks: readonly SeenHook[]): readonly RecordedHook[] {
  const events = hooks.map(([event, tool, decision, text]) => {
    const told: readonly HookWords[] = text === undefined ? [] : [{ what: 'context', text, reachedModel: true }]
    return { kind: 'hook', agent: null, event, tool, decision, exitCode: 0, reason: 'any', told } as const
  })
  return recordHooks({ transcript: numberEvents(events) }, (text) => text, FORM)
}

function changed(before: readonly RecordedHook[] | null, now: readonly RecordedHook[]): readonly string[] {
  const { drift, added } = compareHooks(before, now)
  return [
    ...drift.map(({ call, line, recorded, now: after }) => `${call} ${line ?? '-'}: ${recorded} | ${after}`),
    ...added.map(({ event, lines }) => `new ${event}: ${lines.join()}`),
  ]
}

test('hooks that let a session go on in silence are not noted, and their order is none', () => {
  const noted = seen(
    ['pre-tool-use', 'Write', 'allowed'],
    ['pre-tool-use', 'Write', 'blocked-exit-2'],
    ['post-tool-use', 'Write', 'denied-json'],
    ['session-start', null, 'allowed', 'Be brief.\nBe kind.'],
    ['session-end', null, 'timed-out'],
  )
  expect(noted.map(({ event, tool, decision, lines }) => [event, tool, decision, lines])).toEqual([
    ['post-tool-use', 'Write', 'denied-json', []],
    ['pre-tool-use', 'Write', 'blocked-exit-2', []],
    ['session-end', null, 'timed-out', []],
    ['session-start', null, 'allowed', ['context: Be brief.', 'Be kind.']],
  ])
})

test('a hook that blocks no more, or blocks now, has drifted', () => {
  const blocked = seen(['post-tool-use', 'Write', 'blocked-exit-2'], ['post-tool-use', 'Write', 'blocked-exit-2'])
  const once = seen(['post-tool-use', 'Write', 'blocked-exit-2'])
  const failed = seen(['session-start', null, 'failed'])
  expect(changed(blocked, blocked)).toEqual([])
  expect(changed(blocked, once)).toEqual(['the hook of post-tool-use (Write) -: blocked-exit-2 | none'])
  expect(changed([], failed)).toEqual(['the hook of session-start -: none | failed'])
  expect(changed(once, seen(['post-tool-use', 'Write', 'failed']))).toEqual([
    'the hook of post-tool-use (Write) -: blocked-exit-2 | failed',
  ])
  expect(changed(null, failed)).toEqual([])
})

test('a hook that tells something else or nothing has drifted, and one that tells something new is named', () => {
  const brief = seen(['session-start', null, 'allowed', 'Be brief.\nBe kind.'])
  const hooks = seen(['session-start', null, 'allowed', 'Be brief.'], ['session-start', null, 'allowed', 'Be kind.'])
  expect(changed(hooks, hooks.toReversed())).toEqual([])
  expect(changed(brief, seen(['session-start', null, 'allowed', 'Be brief.\nBe rude.']))).toEqual([
    'what the hook of session-start says 2: Be kind. | Be rude.',
  ])
  expect(changed(brief, [])).toEqual(['what the hook of session-start says -: context: Be brief.\nBe kind. | nothing'])
  expect(changed([], brief)).toEqual(['new session-start: context: Be brief.,Be kind.'])
})

test('a line that a second run tells differently is no measure, and hooks that do as they like are not compared', () => {
  const first = seen(['session-start', null, 'allowed', 'Be brief.\nIt is 10:01.'])
  const kept = withUnstableWords(first, seen(['session-start', null, 'allowed', 'Be brief.\nIt is 10:02.']))
  expect(changed(kept, seen(['session-start', null, 'allowed', 'Be brief.\nIt is 10:03.']))).toEqual([])
  expect(changed(kept, seen(['session-start', null, 'allowed', 'Be long.\nIt is 10:03.']))).toHaveLength(1)
  expect(withUnstableWords(first, [])).toBeNull()
  expect(withUnstableWords([], first)).toBeNull()
  expect(withUnstableWords(first, seen(['session-start', null, 'failed', 'Be brief.\nIt is 10:01.']))).toBeNull()
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
