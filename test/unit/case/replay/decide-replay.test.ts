import { describe, expect, test } from 'vitest'
import {
  decideReplay,
  findReplayProblem,
  replayNotices,
  type ReplayedRun,
} from '../../../../src/case/replay/decide-replay.ts'
import type { Decision } from '../../../../src/report/results/decide-outcome.ts'
import type { AgentRun } from '../../../../src/transcript/transcript.ts'
import { conversationOf, mainThread, ours, record, turnOf } from '../../../support/recorded-conversation.ts'

const RECORDING = record(conversationOf(mainThread(turnOf({}))), ours({}), {
  platform: `${process.platform}-${process.arch}`,
})
const DRIFT = { call: 'Bash (sh a.sh)', line: 2, recorded: 'one', now: 'two' }
const STALE = { path: 'rules/a.md', part: 'rule', why: 'changed' } as const
const NOTHING = { stale: [], drift: [], incompatible: [], unseen: [] }

function replayed(replay: Partial<ReplayedRun['replay']>, more: Partial<ReplayedRun> = {}): ReplayedRun {
  const run = { engine: 'claude-code', engineVersion: '2.1.330' } as AgentRun
  return { recording: RECORDING, replay: { ...NOTHING, ...replay }, run, drift: null, recordCommand: 'RECORD', ...more }
}

function codeOf(run: ReplayedRun): string | null {
  return findReplayProblem(run)?.code ?? null
}

describe('a replay', () => {
  test('that is as it was has no problem', () => {
    expect(findReplayProblem(replayed({}))).toBeNull()
  })

  test('is stale first, then of another engine, then drifted', () => {
    expect(codeOf(replayed({ stale: [STALE], incompatible: ['no'], drift: [DRIFT] }))).toBe('stale')
    expect(codeOf(replayed({ incompatible: ['no'], drift: [DRIFT] }))).toBe('recording-incompatible')
    expect(codeOf(replayed({ drift: [DRIFT] }))).toBe('drifted')
  })

  test('that drifted on another platform is a remark, unless somebody says otherwise', () => {
    const elsewhere = { recording: { ...RECORDING, platform: 'darwin-arm64' } }
    expect(codeOf(replayed({ drift: [DRIFT] }, elsewhere))).toBeNull()
    expect(codeOf(replayed({ drift: [DRIFT] }, { ...elsewhere, drift: 'error' }))).toBe('drifted')
    expect(codeOf(replayed({ drift: [DRIFT] }, { drift: 'warn' }))).toBeNull()
    expect(replayNotices(replayed({ drift: [DRIFT] }, { drift: 'warn' }))).toEqual([
      'This differs from the recording (2026-11-22):\n  Bash (sh a.sh), line 2\n    recorded: one\n    now:      two',
    ])
  })

  test('says what to do next', () => {
    const gone = { path: 'rules/b.md', part: 'rule', why: 'gone' } as const
    const hidden = { path: 'rules/c.md', part: 'rule', why: 'not-shown' } as const
    expect(findReplayProblem(replayed({ stale: [STALE, gone, hidden] }))?.message).toBe(
      [
        'rules/a.md (rule) has changed since the model saw it, so the recording is stale.',
        'rules/b.md (rule), which the model saw, was removed.',
        'rules/c.md (rule) is no longer shown to the model.',
      ].join('\n'),
    )
    expect(findReplayProblem(replayed({ stale: [STALE] }))?.remedy).toBe('Record it again: RECORD')
    expect(findReplayProblem(replayed({ incompatible: ['the main thread sent request 9.'] }))?.message).toBe(
      'The recording of claude-code 2.1.330 does not match claude-code 2.1.330: the main thread sent request 9.',
    )
  })

  test('names both versions and a scenario', () => {
    const other = { ...RECORDING, origin: 'scenario', engine: { name: 'claude-code', version: '2.1.300' } }
    expect(replayNotices(replayed({ unseen: ['rules/new.md (rule)'] }, { recording: other }))).toEqual([
      'This was recorded from a scenario, not from a model.',
      'Recorded with claude-code 2.1.300, replayed with claude-code 2.1.330.',
      'The model is shown rules/new.md (rule), which is new since the recording.',
    ])
  })
})

describe('the outcome', () => {
  const passed: Decision = { outcome: 'passed', reason: null, error: null }
  const failed: Decision = { outcome: 'failed', reason: 'no Hello', error: null }
  const errored = (code: 'cancelled' | 'judge-failed' | 'timed-out' | 'upstream-failed'): Decision => {
    return { outcome: 'errored', reason: code, error: { code, message: code } }
  }
  const problem = (code: 'drifted' | 'not-replayable' | 'recording-incompatible' | 'stale') => ({ code, message: code })

  test.for([
    [passed, 'stale', 'stale'],
    [failed, 'stale', 'stale'],
    [errored('upstream-failed'), 'stale', 'stale'],
    [errored('upstream-failed'), 'recording-incompatible', 'recording-incompatible'],
    [errored('cancelled'), 'stale', 'cancelled'],
    [passed, 'drifted', 'drifted'],
    [failed, 'drifted', 'failed'],
    [errored('judge-failed'), 'drifted', 'drifted'],
    [errored('timed-out'), 'drifted', 'timed-out'],
    [passed, 'not-replayable', 'not-replayable'],
    [failed, 'not-replayable', 'failed'],
  ] as const)('%j with %s is %s', ([decision, code, expected]) => {
    const { outcome, error } = decideReplay(decision, problem(code))
    expect(error?.code ?? outcome).toBe(expected)
  })

  test('stands without a problem', () => {
    expect(decideReplay(failed, null)).toBe(failed)
  })
})
