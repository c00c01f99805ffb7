import { expect, test } from 'vitest'
import { AgentEvalsError } from '../../../../src/lib/errors.ts'
import { brokenBy, endingOf } from '../../../../src/vitest/runtime/test-record.ts'
import type { TestError } from 'vitest'

type Task = Parameters<typeof endingOf>[0]

const attempt = { errorsBefore: 0, signal: new AbortController().signal }
const stopped = { errorsBefore: 0, signal: AbortSignal.abort() }

const wrong: TestError = { name: 'AssertionError', message: 'expected 1 to be 2' }
const broken: TestError = { name: 'AgentEvalsError', message: 'No answer.', code: 'upstream-failed' }
const cancelled: TestError = { name: 'AgentEvalsError', message: 'The run was cancelled.', code: 'cancelled' }
const timeout: TestError = { name: 'Error', message: 'Test timed out in 100ms.' }

function ended(state: 'fail' | 'pass' | 'skip', errors: TestError[] = [], more: object = {}): Task {
  return { fails: false, result: { state, errors }, ...more }
}

test.each([
  ['passed', ended('pass'), { outcome: 'passed', reason: null }],
  ['failed by an assertion', ended('fail', [wrong]), { outcome: 'failed', reason: wrong.message }],
  ['failed, though an error came with it', ended('fail', [broken, wrong]), { outcome: 'failed' }],
  ['errored by the run', ended('fail', [broken]), { outcome: 'errored', error: { code: 'upstream-failed' } }],
  ['errored by its own timeout', ended('fail', [wrong, timeout]), { outcome: 'errored', error: { code: 'timed-out' } }],
  ['skipped', ended('skip'), { outcome: 'skipped', reason: 'skipped by the test' }],
  ['passed where a failure was expected', ended('fail', [wrong], { fails: true }), { outcome: 'passed' }],
  ['failed where it passed and should not', ended('pass', [], { fails: true }), { outcome: 'failed' }],
])('a test is %s', (_, task, ending) => {
  expect(endingOf(task, attempt)).toMatchObject(ending)
})

test('a run that could not be completed is never an expected failure', () => {
  const task = ended('fail', [broken], { fails: true })

  expect(endingOf(task, attempt)).toMatchObject({ outcome: 'errored' })
  expect(task.fails).toBe(false)
})

test('errors of earlier attempts do not decide the last one', () => {
  expect(endingOf(ended('fail', [wrong, broken]), { ...attempt, errorsBefore: 1 })).toMatchObject({
    outcome: 'errored',
  })
})

test.each([
  ['skipped', ended('skip')],
  ['failed', ended('fail', [wrong])],
])('a test that was stopped has no result, though it is %s', (_, task) => {
  expect(endingOf(task, stopped)).toBeNull()
})

test('a run that the gateway cancelled has no result', () => {
  expect(endingOf(ended('fail', [cancelled]), attempt)).toBeNull()
})

test('an error of ours ends a test with its code', () => {
  const error = new AgentEvalsError('invalid-options', 'Wrong option.')
  expect(brokenBy(error)).toEqual({
    outcome: 'errored',
    reason: 'Wrong option.',
    error: { code: 'invalid-options', message: 'Wrong option.' },
  })
})
