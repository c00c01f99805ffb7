import { expect, test } from 'vitest'
import { variableOf, variableOptions } from '../../../src/options/option.ts'
import { OPTIONS } from '../../../src/options/options.ts'
import { describeUnknownVariables, resolveOptions } from '../../../src/options/resolve-options.ts'

const VARIABLES = variableOptions(OPTIONS).map(([name]) => variableOf(name))

test.for([
  ['AGENT_EVALS_ENGIN', 'AGENT_EVALS_ENGINE'],
  ['AGENT_EVALS_RUNZ', 'AGENT_EVALS_RUNS'],
  ['AGENT_EVALS_MAX_COST', 'AGENT_EVALS_MAX_COST_USD'],
  ['AGENT_EVALS_MAXCOSTUSD', 'AGENT_EVALS_MAX_COST_USD'],
  ['AGENT_EVALS_COST_USD', 'AGENT_EVALS_MAX_COST_USD'],
  ['AGENT_EVALS_DRY', 'AGENT_EVALS_DRY_RUN'],
  // Flags with other names than their options.
  ['AGENT_EVALS_MODE', 'AGENT_EVALS_KIND'],
  ['AGENT_EVALS_LIVE', 'AGENT_EVALS_SOURCE=live'],
  ['AGENT_EVALS_RECORD', 'AGENT_EVALS_SOURCE=record'],
] as const)('%s is refused', ([name, meant]) => {
  expect(() => resolveOptions({}, { [name]: '1' })).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: `${name} is not known. Did you mean ${meant}?` }),
  )
})

test('each variable without one of its letters, or with two swapped, is refused', () => {
  for (const variable of VARIABLES.filter((name) => name.length > 'AGENT_EVALS_ABCDE'.length))
    for (let at = 'AGENT_EVALS_'.length; at < variable.length; at += 1)
      for (const slip of [
        variable.slice(0, at) + variable.slice(at + 1),
        variable.slice(0, at) + (variable[at + 1] ?? '') + variable[at] + variable.slice(at + 2),
      ])
        if (!VARIABLES.includes(slip) && !OTHERS.includes(slip))
          expect(() => resolveOptions({}, { [slip]: 'x' }), slip).toThrow('is not known. Did you mean AGENT_EVALS_')
})

const OTHERS = ['AGENT_EVALS_ENGINES', 'AGENT_EVALS_RUN', 'AGENT_EVALS_ASSERT', 'AGENT_EVALS_GATEWAY_KEY']

test.each([...OTHERS, 'AGENT_EVALS_INPUT_MODEL', 'AGENT_EVAL', 'AGENTEVALS_ENGIN'])('%s is left alone', (name) => {
  expect(() => resolveOptions({}, { [name]: 'x' })).not.toThrow()
  expect(describeUnknownVariables({ [name]: 'x' }, OPTIONS)).toEqual([])
})

test('another variable with the prefix is not refused, but named; an empty one says nothing', () => {
  const environment = { AGENT_EVALS_DEPLOY_KEY: 'x', AGENT_EVALS_ENGIN: '' }
  expect(() => resolveOptions({}, environment)).not.toThrow()
  expect(describeUnknownVariables(environment, OPTIONS)).toEqual([
    'AGENT_EVALS_DEPLOY_KEY has no effect: it is not a variable of vitest-agent-evals.',
  ])
})
