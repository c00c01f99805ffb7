import { expect, test } from 'vitest'
import { countTriggers } from '../../../../src/case/assess/count-triggers.ts'
import { buildTriggerResult, type FinishedAttempt } from '../../../../src/case/result/build-trigger-result.ts'
import { AgentEvalsError } from '../../../../src/lib/errors.ts'
import { describeUndecided } from '../../../../src/transcript/select.ts'
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
const because = 'the model first called Bash'
const undecided: Omit<FinishedAttempt, 'index'> = {
  ...NOTHING,
  run: agentRun(),
  decided: { by: 'probe', because, undecided: true },
  undecided: describeUndecided(because),
}
/** Its prompt alone keeps it from being asked. */
const unasked: Omit<FinishedAttempt, 'index'> = {
  ...NOTHING,
  run: null,
  decided: null,
  error: new AgentEvalsError('first-turn-undecided', describeUndecided('the prompt begins with /')),
  undecided: describeUndecided('the prompt begins with /'),
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
    canaryError: null,
  })
}

test('runs that the first turn leaves open are outside the rate, and each is named with its reason', () => {
  const result = resultOf(decided, undecided, unasked)
  expect(result.outcome).toBe('passed')
  expect(result.trigger).toMatchObject({ completed: 1, fired: 0, undecided: 2, errors: 0, rate: 0 })
  expect(result.notices).toEqual([
    'The first turn of 2 of 3 runs does not decide; they are not in the rate.',
    'Run 2: The first turn does not decide this run: the model first called Bash.',
    'Run 3: The first turn does not decide this run: the prompt begins with /.',
  ])
})

test.for<readonly [string, readonly Omit<FinishedAttempt, 'index'>[], string, string]>([
  [
    'one that was asked',
    [undecided],
    'first-turn-undecided',
    'The run was not decided. The first turn does not decide this run: the model first called Bash.',
  ],
  [
    'one that was asked, and one that could not be',
    [undecided, unasked, undecided],
    'first-turn-undecided',
    'None of the 3 runs was decided. The first turn does not decide this run: the model first called Bash. The first turn does not decide this run: the prompt begins with /.',
  ],
  ['one that broke', [undecided, broken], 'upstream-failed', 'None of the 2 runs completed. Run 2: The API is gone.'],
])('a query of which nothing is decided is errored, and has not "not fired": %s', ([, attempts, code, message]) => {
  expect(resultOf(...attempts)).toMatchObject({ outcome: 'errored', error: { code, message } })
})

test('a first turn and a full session that disagree are named, and the session counts', () => {
  const compared = (agrees: boolean): Omit<FinishedAttempt, 'index'> => ({
    ...decided,
    decided: { by: 'probe', because: null, agrees },
  })
  expect(resultOf(compared(true), compared(false)).notices).toEqual([
    'In 1 of 2 runs the first turn and a full session came to different verdicts.',
  ])
  expect(resultOf(compared(true)).notices).toEqual([])
})

test('the reason of full sessions is named once', () => {
  const full: Omit<FinishedAttempt, 'index'> = { ...decided, decided: { by: 'full', because: 'the prompt contains @' } }
  expect(resultOf(full, full).notices).toEqual(['Its runs are full sessions: the prompt contains @.'])
})
