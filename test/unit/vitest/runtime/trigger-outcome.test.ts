import { expect, test } from 'vitest'
import { AgentEvalsError } from '../../../../src/lib/errors.ts'
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
const silent: TriggerRun = { run: agentRun() }
const broken: TriggerRun = { run: agentRun({ status: 'crashed', problem: 'It fell.', problemCode: 'engine-failed' }) }
const unstarted: TriggerRun = { error: new AgentEvalsError('stale', 'The recording is stale.') }

test('runs that broke are in no rate of agent.trigger', () => {
  const { outcome, part } = countTriggerRuns('Write.', QUESTION, [fired, silent, broken, unstarted], 0.5)
  expect(outcome).toMatchObject({ completed: 2, fired: 1, errors: 2, rate: 0.5 })
  expect(part).toMatchObject({ runs: 4 })
})

test.for([
  [[broken, unstarted], { code: 'engine-failed', message: 'It fell.' }],
  [[unstarted, broken], { code: 'stale', message: 'The recording is stale.' }],
] as const)('where no run completes, agent.trigger throws why', ([runs, error]) => {
  expect(() => countTriggerRuns('Write.', QUESTION, runs, 0.5)).toThrow(expect.objectContaining(error))
})
