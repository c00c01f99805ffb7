import { expect, test } from 'vitest'
import { countTriggers } from '../../../../src/case/assess/count-triggers.ts'
import { buildTriggerResult, type FinishedAttempt } from '../../../../src/case/result/build-trigger-result.ts'
import { agentRun } from '../../../support/agent-run.ts'
import { plannedCase } from '../../../support/case-result.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import type { TriggerQuestion } from '../../../../src/formats/suite.ts'

const QUESTION: TriggerQuestion = { skill: 'notes', shouldTrigger: false, runs: null, threshold: null }
const NOTHING = { prepared: null, source: null, recorded: null, folder: null, notices: [], problem: null, error: null }

/** A run that ended its turn and called nothing. */
const decided: Omit<FinishedAttempt, 'index'> = {
  ...NOTHING,
  run: agentRun(),
  decided: { by: 'probe', because: null },
}
const broken: Omit<FinishedAttempt, 'index'> = {
  ...NOTHING,
  run: agentRun({ status: 'api-error', problem: 'The API is gone.', problemCode: 'upstream-failed' }),
  decided: { by: 'probe', because: 'the API gave no complete answer' },
}

function resultOf(...parts: readonly Omit<FinishedAttempt, 'index'>[]): CaseResult {
  const attempts = parts.map((part, index) => ({ ...part, index: index + 1 }))
  const part = countTriggers(attempts, { question: QUESTION, query: 'Sing.', threshold: 0.5 })
  return buildTriggerResult({
    planned: plannedCase('sing'),
    startedAt: new Date(0),
    attempts,
    part,
  })
}

test('a run that broke is outside the rate, and is named with its reason', () => {
  const result = resultOf(decided, broken)
  expect(result.outcome).toBe('passed')
  expect(result.trigger).toMatchObject({ completed: 1, fired: 0, errors: 1, rate: 0 })
  expect(result.notices).toEqual([
    '1 of 2 runs could not be completed; it is not in the rate.',
    'Run 2: The API is gone.',
  ])
})

test('a query of which every run broke is errored, and has not "not fired"', () => {
  const message = 'None of the 2 runs completed. Run 1: The API is gone.'
  expect(resultOf(broken, broken)).toMatchObject({ outcome: 'errored', error: { code: 'upstream-failed', message } })
})

test('the reason of full sessions is named once', () => {
  const full: Omit<FinishedAttempt, 'index'> = { ...decided, decided: { by: 'full', because: 'the prompt contains @' } }
  expect(resultOf(full, full).notices).toEqual(['Its runs are full sessions: the prompt contains @.'])
})
