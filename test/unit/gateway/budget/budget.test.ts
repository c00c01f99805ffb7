import { expect, test } from 'vitest'
import {
  createBudget,
  type Budget,
  type RequestCost,
  type Reservation,
  type Spending,
} from '../../../../src/gateway/budget/budget.ts'

const ACCOUNT = 'ANTHROPIC_BASE_URL'
const unhurried = new AbortController().signal

function budgetOf(maxCostUsd: number, maxCostUsdPerCase = maxCostUsd): Budget {
  return createBudget({ maxCostUsd, maxCostUsdPerCase })
}

/** A request whose input costs this and whose answer is free. */
function costing(inputUsd: number): RequestCost {
  return { model: 'm', inputUsd, tokenUsd: 0, outputTokens: 100, thinkingTokens: 0 }
}

/** A request whose answer costs ten cents for a thousand tokens. */
function answered(outputTokens: number, thinkingTokens = 0): RequestCost {
  return { model: 'm', inputUsd: 0.1, tokenUsd: 1e-4, outputTokens, thinkingTokens }
}

async function open(budget: Budget, caseId: string): Promise<Spending> {
  const spending = await budget.enter(caseId, ACCOUNT, unhurried)
  spending.start()
  return spending
}

async function spend(spending: Spending, usd: number): Promise<void> {
  const reservation = await spending.reserve(costing(usd), unhurried)
  reservation.settle(usd)
}

/** Whether something has happened by the time that all which can has. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = (): void => {
    settled = true
  }
  promise.then(note, note)
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

test('stops new work once requests have cost as much', async () => {
  const budget = budgetOf(1)
  const a = await open(budget, 'a')
  const first = await a.reserve(costing(0.3), unhurried)
  first.settle(0.6)
  a.close()
  const b = await open(budget, 'b')
  await spend(b, 0.15)
  b.close()
  await expect(budget.enter('c', ACCOUNT, unhurried)).resolves.toBeDefined()
  await spend(await open(budget, 'c'), 0.15)
  await expect(budget.enter('d', ACCOUNT, unhurried)).rejects.toMatchObject({
    code: 'budget-spent',
    message:
      'The budget of $1 is spent ($0.90; a first request may cost $0.15). Raise it with --max-cost-usd to run the rest.',
  })
})

test('what a request may cost at most is set aside, so that requests at once cannot pass together', async () => {
  const budget = budgetOf(1)
  const spending = await open(budget, 'a')
  const entered: Reservation[] = []
  const all = Array.from({ length: 30 }, () =>
    spending.reserve(costing(0.4), unhurried).then((reservation) => entered.push(reservation)),
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
      message: 'The budget of $1 has $0.20 left, and the next request may cost $0.40. Raise it with --max-cost-usd.',
    },
  })
  expect(budget.spent()).toBeCloseTo(0.8)
})

test('those who wait go on when others cost less than they might, the oldest case first', async () => {
  const budget = budgetOf(1)
  const [a, b, c] = [await open(budget, 'a'), await open(budget, 'b'), await open(budget, 'c')]
  const first = await a.reserve(costing(0.9), unhurried)
  const impatient = new AbortController()
  const third = c.reserve(costing(0.4), impatient.signal)
  const second = b.reserve(costing(0.9), unhurried)
  expect(await hasSettled(third)).toBe(false)
  first.settle(0.05)
  first.settle(0.9)
  a.close()
  const granted = await second
  expect(await hasSettled(third)).toBe(false)
  impatient.abort(new Error('enough'))
  await expect(third).rejects.toThrow('enough')
  granted.settle(0.1)
  expect(budget.spent()).toBeCloseTo(0.15)
})

test('when everyone waits and nothing is left to settle, the youngest is refused and the others go on', async () => {
  const budget = budgetOf(1)
  const [a, b] = [await open(budget, 'a'), await open(budget, 'b')]
  const [ofA, ofB] = await Promise.all([a.reserve(costing(0.3), unhurried), b.reserve(costing(0.3), unhurried)])
  ofA?.settle(0.3)
  const second = a.reserve(costing(0.35), unhurried)
  expect(await hasSettled(second)).toBe(true)
  ofB?.settle(0.3)
  ;(await second).settle(0.35)
  await expect(b.reserve(costing(0.06), unhurried)).rejects.toMatchObject({ code: 'budget-spent' })
  expect(budget.spent()).toBeCloseTo(0.95)
})

test('an answer gets what the budget has left for each running case, never less than 8,000 tokens', async () => {
  const budget = budgetOf(10)
  const [a, b] = [await open(budget, 'a'), await open(budget, 'b')]
  // Half of $10, less $0.10 for what is sent.
  const first = await a.reserve(answered(128_000), unhurried)
  expect(first.outputTokens).toBe(49_000)
  const second = await b.reserve(answered(128_000), unhurried)
  expect(second.outputTokens).toBe(49_000)
  first.settle(1)
  second.settle(1)
  expect((await b.reserve(answered(2000), unhurried)).outputTokens).toBe(2000)

  const tight = budgetOf(1)
  const last = await open(tight, 'a')
  expect((await last.reserve(answered(128_000), unhurried)).outputTokens).toBe(9000)
  const poor = await open(budgetOf(0.85), 'a')
  await expect(poor.reserve(answered(128_000), unhurried)).rejects.toMatchObject({ code: 'budget-spent' })
})

test('the floor grows with the longest answer and with what is for thinking alone', async () => {
  const spending = await open(budgetOf(3), 'a')
  const first = await spending.reserve(answered(128_000), unhurried)
  first.settle(0.7, 6000)
  // Twice 6,000 tokens and 10,000 for thinking cost $2.30, of which $2.30 is left; $0.10 is for what is sent.
  await expect(spending.reserve(answered(128_000, 10_001), unhurried)).rejects.toMatchObject({ code: 'budget-spent' })
  const next = await open(budgetOf(3), 'a')
  ;(await next.reserve(answered(128_000), unhurried)).settle(0.6, 6000)
  expect((await next.reserve(answered(128_000, 10_000), unhurried)).outputTokens).toBeGreaterThanOrEqual(22_000)
})

test('a lease whose answer was cut is refused everything further, and its judge is not', async () => {
  const budget = budgetOf(10)
  const agent = await open(budget, 'a')
  const { AgentEvalsError } = await import('../../../../src/lib/errors.ts')
  agent.end(new AgentEvalsError('budget-spent', 'cut'))
  await expect(agent.reserve(costing(0.1), unhurried)).rejects.toThrow('cut')
  const judge = await open(budget, 'a (judge)')
  await expect(judge.reserve(costing(0.1), unhurried)).resolves.toBeDefined()
})

test('a case has a budget of its own, which its runs and its judge share', async () => {
  const budget = budgetOf(10, 1)
  await spend(await open(budget, 'a (run 1)'), 0.4)
  await spend(await open(budget, 'a (run 1) (judge)'), 0.3)
  const other = await open(budget, 'a (run 2)')
  await expect(other.reserve(costing(0.4), unhurried)).rejects.toMatchObject({
    code: 'budget-spent',
    message: expect.stringContaining('Raise it with --max-cost-usd-per-case.') as string,
  })
  await expect((await open(budget, 'b')).reserve(costing(0.4), unhurried)).resolves.toBeDefined()
})

test('the share of a judge is kept for it, while its agent and other cases ask for more', async () => {
  const budget = budgetOf(1)
  const release = budget.holdShare('a', () => 0.3)
  const agent = await open(budget, 'a')
  const other = await open(budget, 'b')
  await spend(agent, 0.5)
  await expect(agent.reserve(costing(0.25), unhurried)).rejects.toMatchObject({ code: 'budget-spent' })
  agent.close()
  const waiting = other.reserve(costing(0.3), unhurried)
  expect(await hasSettled(waiting)).toBe(false)
  const judge = await open(budget, 'a (judge)')
  await spend(judge, 0.2)
  judge.close()
  expect(await hasSettled(waiting)).toBe(false)
  release()
  ;(await waiting).settle(0.1)
  expect(budget.spent()).toBeCloseTo(0.8)
})

test('a case that is not judged gives the share of its judge back', async () => {
  const budget = budgetOf(1)
  const release = budget.holdShare('a', () => 0.3)
  const agent = await open(budget, 'a')
  await spend(agent, 0.3)
  agent.close()
  release()
  await expect((await open(budget, 'b')).reserve(costing(0.7), unhurried)).resolves.toBeDefined()
})

test('no more cases begin at once than the budget lasts for by what others have cost', async () => {
  const budget = budgetOf(2)
  const first = await open(budget, 'a')
  await spend(first, 0.3)
  first.close()
  const [b, c] = [await open(budget, 'b'), await open(budget, 'c')]
  const fourth = open(budget, 'd')
  expect(await hasSettled(fourth)).toBe(false)
  await spend(b, 0.1)
  b.close()
  expect(await hasSettled(fourth)).toBe(true)
  c.close()
})

test('an answer of unknown cost is charged in full; one of an unknown price by what it turns out to cost', async () => {
  const budget = budgetOf(1)
  const spending = await open(budget, 'a')
  ;(await spending.reserve(costing(0.3), unhurried)).settle(null)
  ;(await spending.reserve(null, unhurried)).settle(null)
  expect(budget.spent()).toBeCloseTo(0.3)
  ;(await spending.reserve(null, unhurried)).settle(5)
  expect(budget.spent()).toBeCloseTo(5.3)
  await expect(spending.reserve(costing(0.1), unhurried)).rejects.toMatchObject({ code: 'budget-spent' })
})

test('a first request that is refused keeps no later case from starting', async () => {
  const budget = budgetOf(1)
  const greedy = await open(budget, 'a')
  await expect(greedy.reserve(costing(5), unhurried)).rejects.toMatchObject({ code: 'budget-spent' })
  greedy.close()
  const modest = await open(budget, 'b')
  await spend(modest, 0.1)
  modest.close()
  await expect(budget.enter('c', ACCOUNT, unhurried)).resolves.toBeDefined()
})

test('a budget of nothing starts nothing', async () => {
  await expect(open(budgetOf(0), 'a')).rejects.toMatchObject({ code: 'budget-spent' })
})

test('an empty account stops new work with its own words', async () => {
  const budget = budgetOf(10)
  budget.close(ACCOUNT, { problems: [{ code: 'out-of-credit', message: 'Your credit balance is too low.' }] })
  await expect(open(budget, 'a')).rejects.toMatchObject({
    code: 'out-of-credit',
    message: 'Your credit balance is too low.',
  })
})

test('an account that is empty stops no work on another, nor one that a scenario calls empty', async () => {
  const budget = budgetOf(10)
  const empty = { problems: [{ code: 'out-of-credit', message: 'Empty.' } as const] }
  budget.close('OPENAI_BASE_URL', empty)
  budget.close(null, empty)
  await expect(open(budget, 'a')).resolves.toBeDefined()
})
