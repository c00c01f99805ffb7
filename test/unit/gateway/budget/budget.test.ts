import { expect, test } from 'vitest'
import { createBudget, type Budget, type Reservation, type Spending } from '../../../../src/gateway/budget/budget.ts'

const ACCOUNT = 'ANTHROPIC_BASE_URL'
const unhurried = new AbortController().signal

function budgetOf(maxCostUsd: number, maxCostUsdPerCase = maxCostUsd): Budget {
  return createBudget({ maxCostUsd, maxCostUsdPerCase })
}

async function spend(spending: Spending, usd: number): Promise<void> {
  const reservation = await spending.reserve(usd, unhurried)
  reservation.settle(usd)
}

test('stops new work once requests have cost as much', async () => {
  const budget = budgetOf(1)
  const first = await budget.open('a').reserve(0.3, unhurried)
  first.settle(0.6)
  expect(() => budget.check(ACCOUNT)).not.toThrow()
  await spend(budget.open('b'), 0.15)
  expect(() => budget.check(ACCOUNT)).toThrow(
    expect.objectContaining({
      code: 'budget-spent',
      message:
        'The budget of $1 is spent ($0.75; a first request may cost $0.30). Raise it with AGENT_EVALS_MAX_COST_USD to run the rest.',
    }),
  )
})

test('what a request may cost at most is set aside, so that requests at once cannot pass together', async () => {
  const budget = budgetOf(1)
  const spending = budget.open('a')
  const entered: Reservation[] = []
  const all = Array.from({ length: 30 }, () =>
    spending.reserve(0.4, unhurried).then((reservation) => entered.push(reservation)),
  )
  await Promise.allSettled(all.slice(0, 2))
  expect(entered).toHaveLength(2)
  // Each costs as much as it may: the third could never fit.
  for (const reservation of entered) reservation.settle(0.4)
  const results = await Promise.allSettled(all)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(results.at(-1)).toMatchObject({
    reason: {
      code: 'budget-spent',
      message:
        'The budget of $1 has $0.20 left, and the next request may cost $0.40. Raise it with AGENT_EVALS_MAX_COST_USD.',
    },
  })
  expect(budget.spent()).toBeCloseTo(0.8)
})

test('those who wait go on when others cost less than they might', async () => {
  const budget = budgetOf(1)
  const first = await budget.open('a').reserve(0.9, unhurried)
  const second = budget.open('b').reserve(0.9, unhurried)
  const impatient = new AbortController()
  const third = budget.open('c').reserve(0.9, impatient.signal)
  impatient.abort(new Error('enough'))
  await expect(third).rejects.toThrow('enough')
  first.settle(0.05)
  first.settle(0.9)
  await expect(second).resolves.toBeDefined()
  expect(budget.spent()).toBeCloseTo(0.05)
})

test('a case has a budget of its own, which its runs and its judge share', async () => {
  const budget = budgetOf(10, 1)
  await spend(budget.open('a'), 0.7)
  await expect(budget.open('a').reserve(0.4, unhurried)).rejects.toMatchObject({
    code: 'budget-spent',
    message: expect.stringContaining('Raise it with AGENT_EVALS_MAX_COST_USD_PER_CASE.') as string,
  })
  await expect(budget.open('b').reserve(0.4, unhurried)).resolves.toBeDefined()
})

test('a request that is hung up on is charged in full, unless the run was ended from outside', async () => {
  const budget = budgetOf(10)
  const spending = budget.open('a')
  const first = await spending.reserve(2, unhurried)
  first.abandon(0.1)
  const second = await spending.reserve(3, unhurried)
  second.abandon(0.5)
  expect(budget.spent()).toBeCloseTo(5)
  spending.endedEarly()
  spending.endedEarly()
  expect(budget.spent()).toBeCloseTo(2.5)
})

test('an answer of unknown cost is charged in full; an unknown price is not counted', async () => {
  const budget = budgetOf(1)
  const known = await budget.open('a').reserve(0.3, unhurried)
  known.settle(null)
  const unknown = await budget.open('a').reserve(null, unhurried)
  unknown.settle(null)
  expect(budget.spent()).toBeCloseTo(0.3)
  expect(() => budget.check(ACCOUNT)).not.toThrow()
})

test('a budget of nothing starts nothing', () => {
  expect(() => budgetOf(0).check(ACCOUNT)).toThrow(expect.objectContaining({ code: 'budget-spent' }))
})

test('an empty account stops new work with its own words', () => {
  const budget = budgetOf(10)
  budget.close(ACCOUNT, { problems: [{ code: 'out-of-credit', message: 'Your credit balance is too low.' }] })
  expect(() => budget.check(ACCOUNT)).toThrow(
    expect.objectContaining({ code: 'out-of-credit', message: 'Your credit balance is too low.' }),
  )
})

test('an account that is empty stops no work on another, nor one that a scenario calls empty', () => {
  const budget = budgetOf(10)
  const empty = { problems: [{ code: 'out-of-credit', message: 'Empty.' } as const] }
  budget.close('OPENAI_BASE_URL', empty)
  budget.close(null, empty)
  expect(() => budget.check(ACCOUNT)).not.toThrow()
})
