import { expect, test } from 'vitest'
import { describeUnknownVariables } from '../../../src/options/unknown-variables.ts'

test('a variable that looks like an option is named with the option', () => {
  const environment = { AGENT_EVALS_ENGIN: 'codex', AGENT_EVALS_MAX_COST: '2', AGENT_EVALS_RUNZ: '3', PATH: '/bin' }
  expect(describeUnknownVariables(environment)).toEqual([
    'AGENT_EVALS_ENGIN has no effect. Did you mean AGENT_EVALS_ENGINE?',
    'AGENT_EVALS_RUNZ has no effect. Did you mean AGENT_EVALS_RUNS?',
  ])
})

test.each(['AGENT_EVALS_ENGINE', 'AGENT_EVALS_ENGINES', 'AGENT_EVALS_RUN', 'AGENT_EVALS_DEPLOY_KEY', 'AGENT_EVAL'])(
  '%s is left alone',
  (name) => {
    expect(describeUnknownVariables({ [name]: 'x' })).toEqual([])
  },
)
