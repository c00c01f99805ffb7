import { expect, test } from 'vitest'
import { createBudget } from '../../../src/gateway/budget.ts'
import type { MeterReading } from '../../../src/gateway/lease.ts'

const ACCOUNT = 'ANTHROPIC_BASE_URL'
const nothing: MeterReading = { requests: 1, usage: null, model: null, costUsd: 0, problems: [] }

test('stops new work once finished and running ones have cost as much', () => {
  const budget = createBudget(1)
  budget.settle(ACCOUNT, { ...nothing, costUsd: 0.5 })
  expect(() => budget.check(ACCOUNT, [{ ...nothing, costUsd: 0.4 }])).not.toThrow()
  expect(() => budget.check(ACCOUNT, [{ ...nothing, costUsd: 0.5 }])).toThrow(
    expect.objectContaining({
      code: 'budget-spent',
      message: 'The budget of $1 is spent ($1.00). Raise it with AGENT_EVALS_MAX_COST_USD to run the rest.',
    }),
  )
})

test('an unknown cost is not counted', () => {
  const budget = createBudget(1)
  budget.settle(ACCOUNT, { ...nothing, costUsd: null })
  expect(() => budget.check(ACCOUNT, [{ ...nothing, costUsd: null }])).not.toThrow()
})

test('a budget of nothing starts nothing', () => {
  expect(() => createBudget(0).check(ACCOUNT, [])).toThrow(expect.objectContaining({ code: 'budget-spent' }))
})

test('an empty account stops new work with its own words', () => {
  const budget = createBudget(10)
  budget.settle(ACCOUNT, {
    ...nothing,
    problems: [{ code: 'out-of-credit', message: 'Your credit balance is too low.' }],
  })
  expect(() => budget.check(ACCOUNT, [])).toThrow(
    expect.objectContaining({ code: 'out-of-credit', message: 'Your credit balance is too low.' }),
  )
})

test('an account that is empty stops no work on another, nor one that a scenario calls empty', () => {
  const budget = createBudget(10)
  const empty = { ...nothing, problems: [{ code: 'out-of-credit', message: 'Empty.' } as const] }
  budget.settle('OPENAI_BASE_URL', empty)
  budget.settle(null, empty)
  expect(() => budget.check(ACCOUNT, [])).not.toThrow()
})
