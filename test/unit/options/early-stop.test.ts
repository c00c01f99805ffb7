import { expect, test } from 'vitest'
import type { AgentEvalsOptions } from '../../../src/options/options.ts'
import { resolveOptions } from '../../../src/options/resolve-options.ts'

test.each([
  [{}, {}, null, null, false],
  [{ runs: 5 }, { AGENT_EVALS_RUNS: 'auto' }, null, 5, true],
  [{ runs: 'auto' }, {}, null, null, true],
  [{ runs: 'auto' }, { AGENT_EVALS_RUNS: '4' }, 4, null, false],
] as const)('%o with %o', (given, environment, set, option, stopsEarly) => {
  expect(resolveOptions(given, environment)).toMatchObject({ runs: { environment: set, option }, stopsEarly })
})

test.each([
  [{ gate: true, against: 'HEAD~1' }, '--gate, --against'],
  [{ budgets: { passRate: 0.8 } }, '--budget'],
  [{ baseline: true }, '--baseline'],
  [{ source: 'record' }, '--record'],
] as const)('with %o it is refused', (given: AgentEvalsOptions, named) => {
  expect(() => resolveOptions(given, { AGENT_EVALS_RUNS: 'auto' })).toThrow(
    expect.objectContaining({
      code: 'invalid-options',
      message: `--runs auto leaves runs out, and ${named} needs all of them. Name a number of runs instead, such as --runs 5.`,
    }),
  )
  expect(resolveOptions(given, { AGENT_EVALS_RUNS: '5' }).stopsEarly).toBe(false)
})

test('what is no number and not auto is refused with its place', () => {
  for (const wrong of ['many', '0', '1.5', ' '])
    expect(() => resolveOptions({}, { AGENT_EVALS_RUNS: wrong })).toThrow(/AGENT_EVALS_RUNS/)
})
