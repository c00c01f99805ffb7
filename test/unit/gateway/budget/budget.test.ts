import { expect, test } from 'vitest'
import { createBudget, type Budget, type RequestCost } from '../../../../src/gateway/budget/budget.ts'

function budgetOf(maxCostUsd: number, maxCostUsdPerCase = maxCostUsd): Budget {
  return createBudget({ maxCostUsd, maxCostUsdPerCase })
}

/** A request whose input costs this and whose answer is free. */
function costing(inputUsd: number): RequestCost {
  return { inputUsd, tokenUsd: 0, outputTokens: 100, thinkingTokens: 0 }
}

/** A request whose answer costs ten cents for a thousand tokens. */
function answered(outputTokens: number, thinkingTokens = 0): RequestCost {
  return { inputUsd: 0.1, tokenUsd: 1e-4, outputTokens, thinkingTokens }
}

function spend(budget: Budget, caseId: string, usd: number): void {
  budget.open(caseId).admit(costing(usd)).settle(usd)
}

const SPENT = expect.objectContaining({ code: 'budget-spent' }) as Error
const NOT_PAID = expect.objectContaining({ code: 'judge-not-paid' }) as Error

test('refuses a request that what was spent and what is expected of others leaves no room for', () => {
  const budget = budgetOf(1)
  spend(budget, 'a', 0.2)
  const open = budget.open('b').admit(costing(0.3))
  expect(() => budget.open('c').admit(costing(0.5))).toThrow(
    'The budget of $1 has $0.50 left, and the next request costs $0.50 before its answer. Raise it with --max-cost-usd.',
  )
  expect(() => budget.open('c').admit(costing(0.5))).toThrow(SPENT)
  open.settle(0.1)
  open.settle(5)
  budget.open('c').admit(costing(0.5)).settle(0.5)
  expect(budget.spent()).toBeCloseTo(0.8)
})

test('expects answers as long as the longest so far, 2,000 tokens at least', () => {
  const budget = budgetOf(3)
  const first = budget.open('a').admit(answered(8000))
  expect(() => budget.open('b').admit(costing(2.7))).toThrow(SPENT)
  budget.open('b').admit(costing(2.69)).settle(0)
  first.settle(0.6, 5000)
  budget.open('a').admit(answered(8000))
  // $0.60 was spent, and the answer under way costs $0.10 and 5,000 tokens.
  expect(() => budget.open('b').admit(costing(1.81))).toThrow(SPENT)
  budget.open('b').admit(costing(1.79))
})

test('limits an answer to half of what is left, never below 8,000 tokens, nor above what is asked', () => {
  const budget = budgetOf(10)
  const first = budget.open('a').admit(answered(128_000))
  expect(first).toMatchObject({ outputTokens: 49_500, isLowered: true })
  // Half of $10 pays for 50,000 tokens beyond the least of 8,000 and the expected 2,000. The first has 39,500 of them.
  expect(budget.open('b').admit(answered(128_000)).outputTokens).toBeCloseTo(18_500, -1)
  expect(budget.open('c').admit(answered(2000))).toMatchObject({ outputTokens: 2000, isLowered: false })
  expect(budgetOf(0.2).open('a').admit(answered(128_000)).outputTokens).toBe(8000)
  expect(budgetOf(0.2).open('a').admit(answered(40_000, 31_999)).outputTokens).toBe(32_000)
})

test('refuses none of many at once, as long as the answers that are expected of them have room', () => {
  const budget = budgetOf(10)
  const request: RequestCost = { inputUsd: 0.06, tokenUsd: 3e-5, outputTokens: 128_000, thinkingTokens: 0 }
  const limits = Array.from({ length: 32 }, (_, index) => budget.open(`case ${index}`).admit(request).outputTokens)
  expect(limits[0]).toBe(128_000)
  expect(limits[31]).toBeLessThanOrEqual(10_000)
})

test('once a request is refused, no case begins, but for one that no such budget pays for', () => {
  const budget = budgetOf(1)
  expect(() => budget.open('hook').admit(costing(5))).toThrow(SPENT)
  budget.check('a')
  spend(budget, 'a', 0.9)
  budget.check('b')
  expect(() => budget.open('b').admit(costing(0.2))).toThrow(SPENT)
  expect(() => budget.check('c')).toThrow(
    'The budget of $1 is spent ($0.90). Raise it with --max-cost-usd to run the rest.',
  )
  expect(() => budgetOf(0).check('a')).toThrow(SPENT)
})

test('a judge is asked as long as anything is left, and what it is refused has a code of its own', () => {
  const budget = budgetOf(1)
  spend(budget, 'a', 0.9)
  expect(() => budget.open('b').admit(costing(0.2))).toThrow(SPENT)
  budget.check('a (judge)')
  spend(budget, 'a (judge)', 0.05)
  expect(() => budget.open('a (judge)').admit(costing(0.05))).toThrow(NOT_PAID)
  const last = budget.open('a (judge)').admit(costing(0.01))
  last.settle(0.05)
  expect(() => budget.check('a (judge)')).toThrow(NOT_PAID)
})

test('a case has a budget of its own, which its runs and its judge share', () => {
  const budget = budgetOf(10, 1)
  spend(budget, 'a (run 1)', 0.4)
  spend(budget, 'a (run 1) (judge)', 0.3)
  expect(() => budget.open('a (run 2)').admit(costing(0.4))).toThrow('Raise it with --max-cost-usd-per-case.')
  budget.check('b')
  budget.open('b').admit(costing(0.4))
})

test('a lease whose answer was cut is refused everything further, and its judge is not', () => {
  const budget = budgetOf(10)
  const agent = budget.open('a')
  expect(agent.cut(9000)).toMatchObject({
    code: 'budget-spent',
    message: expect.stringContaining('9000 tokens') as string,
  })
  expect(() => agent.admit(costing(0.1))).toThrow('cut off after 9000 tokens')
  budget.open('a (judge)').admit(costing(0.1))
})

test('an answer of unknown cost is charged what was expected; one of an unknown price what it turns out to cost', () => {
  const budget = budgetOf(1)
  const spending = budget.open('a')
  expect(spending.admit(answered(8000)).settle(null)).toBeCloseTo(0.3)
  expect(spending.admit(null).settle(null)).toBeNull()
  expect(budget.spent()).toBeCloseTo(0.3)
  expect(spending.admit(null).settle(5)).toBe(5)
  expect(budget.spent()).toBeCloseTo(5.3)
  expect(() => spending.admit(costing(0.1))).toThrow(SPENT)
})
