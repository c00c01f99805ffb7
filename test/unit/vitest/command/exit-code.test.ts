import { expect, test } from 'vitest'
import { exitCodeOf, type RunEnding } from '../../../../src/vitest/command/start-evals.ts'

const green: RunEnding = { failed: 0, errored: 0, status: 'complete', gate: null, exitCode: 0 }

test.for([
  ['all passed', {}, 0],
  ['a dry run leaves no report', { status: null }, 0],
  ['one failed', { failed: 1, exitCode: 1 }, 1],
  ['one failed and others could not be completed', { failed: 1, errored: 3, exitCode: 1, status: 'partial' }, 1],
  ['one could not be completed', { errored: 1, exitCode: 1 }, 2],
  ['a gate found a regression', { gate: 'failed', exitCode: 1 }, 1],
  ['a gate has no answer', { gate: 'incomplete', exitCode: 1 }, 2],
  ['the budget was spent', { status: 'partial' }, 2],
  ['nothing passed or failed', { exitCode: 1 }, 2],
  ['it was stopped', { failed: 1, status: 'interrupted', exitCode: 1 }, 130],
  ['it was stopped before there was a report', { status: null, exitCode: 130 }, 130],
  ['it was told to end', { exitCode: 143 }, 130],
] as const)('%s', ([, ending, code]) => {
  expect(exitCodeOf({ ...green, ...ending })).toBe(code)
})
