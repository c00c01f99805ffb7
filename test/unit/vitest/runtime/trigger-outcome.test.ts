import { expect, test } from 'vitest'
import { AgentEvalsError } from '../../../../src/lib/errors.ts'
import { describeUndecided } from '../../../../src/transcript/select.ts'
import {
  countTriggerRuns,
  type SkillQuestion,
  type TriggerRun,
} from '../../../../src/vitest/runtime/trigger-outcome.ts'
import { agentRun } from '../../../support/agent-run.ts'

const QUESTION: SkillQuestion = { skill: 'notes', shouldTrigger: true, runs: null, threshold: null }
const fired: TriggerRun = {
  run: agentRun({}, [{ kind: 'skill-used', agent: null, skill: 'notes', via: 'tool' }]),
}
const undecided: TriggerRun = { run: agentRun(), undecided: describeUndecided('the model first called Bash') }
const unasked: TriggerRun = {
  error: new AgentEvalsError('first-turn-undecided', describeUndecided('the prompt contains @')),
}

test('runs that the first turn leaves open are in no rate of agent.trigger', () => {
  const { outcome, part } = countTriggerRuns('Write.', QUESTION, [fired, undecided, unasked], 0.5)
  expect(outcome).toMatchObject({ completed: 1, fired: 1, undecided: 2, errors: 0, rate: 1 })
  expect(part).toMatchObject({ runs: 3, undecided: 2 })
})

test.for([
  [[undecided, unasked], 'the model first called Bash'],
  [[unasked, undecided], 'the prompt contains @'],
] as const)('where nothing is decided, agent.trigger throws why', ([runs, because]) => {
  expect(() => countTriggerRuns('Write.', QUESTION, runs, 0.5)).toThrow(
    expect.objectContaining({ code: 'first-turn-undecided', message: describeUndecided(because) }),
  )
})
