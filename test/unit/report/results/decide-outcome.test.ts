import { expect, test } from 'vitest'
import { skippedJudge } from '../../../../src/judges/judgement.ts'
import { decideOutcome, whyNotJudged } from '../../../../src/report/results/decide-outcome.ts'
import type { CheckResult } from '../../../../src/checks/check.ts'
import type { JudgePart } from '../../../../src/report/results/result.ts'
import { agentRun, hook, stoppedCall } from '../../../support/agent-run.ts'
import type { UnnumberedEvent } from '../../../../src/transcript/transcript.ts'

const at = { line: 1, column: 1 }
const passed: CheckResult = { kind: 'contains', value: 'a', at, outcome: 'passed', message: '' }
const failed: CheckResult = { ...passed, outcome: 'failed', message: 'expected a' }
const broken: CheckResult = { ...passed, kind: 'agent-blocked', outcome: 'errored', message: 'the hook timed out' }
const brokenRun = agentRun({}, [hook({ decision: 'failed', exitCode: 1 })])

function judge(result: JudgePart['result'], reason = 'because'): JudgePart {
  const error = result === 'errored' ? ({ code: 'judge-failed', message: reason } as const) : null
  return { ...skippedJudge(reason), result, error, model: 'claude-opus-5-5', provider: 'anthropic' }
}

test('passes when every check and the judge passed', () => {
  expect(decideOutcome([passed], judge('passed'), agentRun())).toEqual({ outcome: 'passed', reason: null, error: null })
  expect(decideOutcome([], null, agentRun()).outcome).toBe('passed')
})

test('a failure comes before what is broken', () => {
  expect(decideOutcome([broken, failed], judge('skipped'), brokenRun)).toEqual({
    outcome: 'failed',
    reason: 'expected a',
    error: null,
  })
  expect(decideOutcome([passed], judge('failed'), brokenRun).outcome).toBe('failed')
})

test('what is broken is errored, never passed', () => {
  expect(decideOutcome([broken], judge('skipped'), agentRun()).error?.code).toBe('hook-failed-open')
  expect(decideOutcome([passed], judge('passed'), brokenRun).error).toEqual({
    code: 'hook-failed-open',
    message: 'the pre-tool-use hook failed with exit code 1, so Write went on',
  })
  expect(decideOutcome([passed], judge('errored'), agentRun()).error).toEqual({
    code: 'judge-failed',
    message: 'because',
  })
  expect(decideOutcome([passed], judge('skipped', 'no judge has credentials'), agentRun()).outcome).toBe('errored')
})

test('a run that did not complete is errored whatever its checks say', () => {
  const run = agentRun({ status: 'timed-out', problem: 'no answer after 120 s', problemCode: 'timed-out' })
  expect(decideOutcome([failed], null, run).error).toEqual({ code: 'timed-out', message: 'no answer after 120 s' })
})

test('A9: calls that a sandbox inside the sandbox kept from running are errored, whatever is missing then', () => {
  const text =
    'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)'
  const [call, result] = stoppedCall('sandbox')
  const refused = [call!, { ...result!, text }] as readonly UnnumberedEvent[]
  const run = agentRun({}, refused)
  expect(decideOutcome([failed], null, run).error).toEqual({
    code: 'engine-failed',
    message: `nested sandbox: no call ran, because the agent's own sandbox cannot start inside this one: ${text}. Turn it off; the session is already confined.`,
  })
  expect(whyNotJudged([], run, { judgeFailedCases: true })).toBe('no call was carried out')
  // A call that ran shows something: then the agent itself has tried.
  expect(decideOutcome([failed], null, agentRun({}, [...refused, ...stoppedCall(null)])).outcome).toBe('failed')
})

test('no output and no file leave nothing to judge; files are judged', () => {
  const run = agentRun({ output: ' ' })
  const reason = 'the agent gave no output and changed no file'
  expect(whyNotJudged([passed], run, { judgeFailedCases: false })).toBe(reason)
  expect(decideOutcome([passed], { ...judge('skipped'), reason }, run)).toEqual({
    outcome: 'errored',
    reason,
    error: { code: 'no-output', message: reason },
  })
  const file = { path: 'out.md', size: 3, hash: '' }
  expect(
    whyNotJudged([passed], { ...run, files: { ...run.files, created: [file] } }, { judgeFailedCases: false }),
  ).toBeNull()
  const block: CheckResult = { ...passed, kind: 'agent-blocked', value: true }
  expect(whyNotJudged([block], run, { judgeFailedCases: false })).toBeNull()
})

test('an empty answer is errored although a text, a file or a skill is missing, and fails where the agent did wrong', () => {
  const run = agentRun({ output: '...' })
  const outcomes = [
    'contains',
    'files-created',
    'file-exists',
    'matches',
    'skill-used',
    'agent-blocked',
    'skill-not-used',
  ].map((kind) => [kind, decideOutcome([{ ...failed, kind }], judge('skipped', 'a check failed'), run).outcome])
  expect(Object.fromEntries(outcomes)).toEqual({
    contains: 'errored',
    'files-created': 'errored',
    'file-exists': 'errored',
    matches: 'errored',
    'skill-used': 'errored',
    'agent-blocked': 'failed',
    'skill-not-used': 'failed',
  })
  expect(decideOutcome([], judge('failed', 'out.md does not exist'), run).error?.code).toBe('no-output')
  const file = { path: 'out.md', size: 3, hash: '' }
  const wrote = { ...run, files: { ...run.files, created: [file] } }
  expect(decideOutcome([failed], judge('skipped'), wrote).outcome).toBe('failed')
})

test('the judge is asked only where its verdict can matter', () => {
  expect(whyNotJudged([passed], agentRun(), { judgeFailedCases: false })).toBeNull()
  expect(whyNotJudged([failed], agentRun(), { judgeFailedCases: false })).toBe('a check failed')
  expect(whyNotJudged([failed], agentRun(), { judgeFailedCases: true })).toBeNull()
  expect(whyNotJudged([broken], agentRun(), { judgeFailedCases: true })).toBe('a check could not be decided')
  expect(whyNotJudged([passed], brokenRun, { judgeFailedCases: true })).toBe('a hook of the package broke')
})
