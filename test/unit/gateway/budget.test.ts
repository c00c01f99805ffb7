import { expect, test } from 'vitest'
import { createBudget } from '../../../src/gateway/budget.ts'
import type { MeterReading } from '../../../src/gateway/lease.ts'

const nothing: MeterReading = { requests: 1, usage: null, model: null, costUsd: 0, problems: [] }

test('stops new work once finished and running ones have cost as much', () => {
  const budget = createBudget(1)
  budget.settle({ ...nothing, costUsd: 0.5 })
  expect(() => budget.check([{ ...nothing, costUsd: 0.4 }])).not.toThrow()
  expect(() => budget.check([{ ...nothing, costUsd: 0.5 }])).toThrow(
    expect.objectContaining({
      code: 'budget-spent',
      message: 'The budget of $1 is spent ($1.00). Raise it with AGENT_EVALS_MAX_COST_USD to run the rest.',
    }),
  )
})

test('an unknown cost is not counted', () => {
  const budget = createBudget(1)
  budget.settle({ ...nothing, costUsd: null })
  expect(() => budget.check([{ ...nothing, costUsd: null }])).not.toThrow()
})

test('a budget of nothing starts nothing', () => {
  expect(() => createBudget(0).check([])).toThrow(expect.objectContaining({ code: 'budget-spent' }))
})

test('an empty account stops new work with its own words', () => {
  const budget = createBudget(10)
  budget.settle({ ...nothing, problems: [{ code: 'out-of-credit', message: 'Your credit balance is too low.' }] })
  expect(() => budget.check([])).toThrow(
    expect.objectContaining({ code: 'out-of-credit', message: 'Your credit balance is too low.' }),
  )
})
