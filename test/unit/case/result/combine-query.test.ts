import { expect, test } from 'vitest'
import { countTriggers } from '../../../../src/case/assess/count-triggers.ts'
import { combineQuery } from '../../../../src/case/result/combine-query.ts'
import { summarizeRun } from '../../../../src/report/build/summarize-run.ts'
import { agentRun } from '../../../support/agent-run.ts'
import { caseResult } from '../../../support/case-result.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import type { RunDecision } from '../../../../src/transcript/select.ts'

const question = { skill: 'notes', shouldTrigger: false, runs: null, threshold: null }
const evalCase = { trigger: question, prompt: 'Sing.' }

function runOf(run: Parameters<typeof agentRun>[0], decided: RunDecision, more: Partial<CaseResult> = {}): CaseResult {
  const ended = agentRun(run)
  const trigger = countTriggers([{ run: ended, problem: null }], { question, query: 'Sing.', threshold: 0.5 })
  return caseResult('sing', { trigger, runs: [summarizeRun(ended, 1, null, { decided })], ...more })
}

/** A run that ended its turn and called nothing. */
const decided = runOf({}, { by: 'probe', because: null })
const broken = runOf(
  { status: 'api-error', problem: 'The API is gone.', problemCode: 'upstream-failed' },
  { by: 'probe', because: 'the API gave no complete answer' },
  {
    outcome: 'errored',
    reason: 'The API is gone.',
    error: { code: 'upstream-failed', message: 'The API is gone.' },
  },
)

function combine(first: CaseResult, ...rest: readonly CaseResult[]): CaseResult {
  return combineQuery(evalCase, first, rest, { runs: rest.length + 1, threshold: 0.5 })
}

test('a run that broke is outside the rate, and is named with its reason', () => {
  const result = combine(decided, broken)
  expect(result.outcome).toBe('passed')
  expect(result.trigger).toMatchObject({ completed: 1, fired: 0, errors: 1, rate: 0 })
  expect(result.notices).toEqual([
    '1 of 2 runs could not be completed; it is not in the rate.',
    'Run 2: The API is gone.',
  ])
})

test('a query of which every run broke is errored, and has not "not fired"', () => {
  const message = 'None of the 2 runs completed. Run 1: The API is gone.'
  expect(combine(broken, broken)).toMatchObject({ outcome: 'errored', error: { code: 'upstream-failed', message } })
})

test('what the budget stopped leaves the runs before it their worth; without one the query is skipped', () => {
  const stopped = caseResult('sing', { outcome: 'skipped', reason: 'not-run: no money', runs: [] })
  expect(combine(decided, stopped)).toMatchObject({ outcome: 'passed', trigger: { completed: 1, errors: 1 } })
  expect(combine(broken, stopped)).toMatchObject({ outcome: 'skipped', runs: [{ status: 'api-error' }] })
})

test('the reason of full sessions is named once', () => {
  const full = runOf({}, { by: 'full', because: 'the prompt contains @' })
  expect(combine(full, full).notices).toEqual(['Its runs are full sessions: the prompt contains @.'])
})
