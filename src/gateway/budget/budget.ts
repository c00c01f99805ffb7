import { AgentEvalsError } from '../../lib/errors.ts'
import { sumOf } from '../../lib/lists.ts'
import { dollars } from '../../lib/text.ts'

/** Limits what live requests cost. */
export interface Budget {
  /**
   * Refuses a lease for which nothing is left.
   *
   * @throws {AgentEvalsError} `budget-spent`, for a judge `judge-not-paid`.
   */
  check(caseId: string): void
  open(caseId: string): Spending
  /** US dollars that were spent so far, as far as it is known. */
  spent(): number
}

/** What a request asks for, at list price. */
export interface RequestCost {
  /** US dollars of all that it sends. */
  readonly inputUsd: number
  /** US dollars of one token of its answer. */
  readonly tokenUsd: number
  /** Tokens that its answer is limited to. */
  readonly outputTokens: number
  /** Those of them that are for thinking alone. */
  readonly thinkingTokens: number
}

/** The money of one lease. */
export interface Spending {
  /**
   * Admits a request as long as the budget is not reached by what was spent and what is expected of the requests under
   * way, and limits its answer to what is left. `null` is an unknown price, which no budget can stop.
   *
   * @throws {AgentEvalsError} `budget-spent`, for a judge `judge-not-paid`.
   */
  admit(cost: RequestCost | null): PaidRequest
  /** Refuses everything further, because the limit of an answer cut it: its engine would ask for the rest, over and over. */
  cut(outputTokens: number): AgentEvalsError
}

/** A request that is under way. */
export interface PaidRequest {
  /** US dollars of all that is sent; 0 where there is no price. */
  readonly inputUsd: number
  /** Tokens that the answer is limited to; `null` where there is no price. */
  readonly outputTokens: number | null
  /** Whether those are fewer than it asked for. */
  readonly isLowered: boolean
  /**
   * Ends it; the first call counts. An answer of unknown cost (`null`) is charged what was expected. Returns what is
   * charged; `null` where there is no price.
   */
  settle(usd: number | null, outputTokens?: number): number | null
}

/** The limits of one Vitest process, in US dollars. */
export interface BudgetLimits {
  readonly maxCostUsd: number
  readonly maxCostUsdPerCase: number
}

/** Money that requests take from: that of all cases, or of one. */
interface Account {
  readonly name: string
  readonly flag: string
  readonly max: number
  spent: number
  readonly open: Set<RequestCost>
}

export function createBudget({ maxCostUsd, maxCostUsdPerCase }: BudgetLimits): Budget {
  const total = createAccount('The budget', '--max-cost-usd', maxCostUsd)
  const cases = new Map<string, Account>()
  // Tokens of the longest answer so far: what the answers under way are expected to have.
  let longest = LEAST_EXPECTED
  let isSpent = false

  const expectedOf = ({ inputUsd, tokenUsd, outputTokens }: RequestCost): number =>
    inputUsd + Math.min(outputTokens, longest) * tokenUsd
  // An answer may be longer than all before it: only by the least that every answer may have can it pass the budget.
  const claimOf = (request: RequestCost): number => {
    const { inputUsd, tokenUsd, outputTokens, thinkingTokens } = request
    return Math.max(expectedOf(request), inputUsd + (outputTokens - leastOf(thinkingTokens)) * tokenUsd)
  }
  const leftOf = ({ max, spent, open }: Account): number => max - spent - sumOf([...open], claimOf)
  // Half of what is not spent is kept for answers of the expected length, so that many can ask at once.
  const leftForLong = ({ max, spent, open }: Account): number =>
    (max - spent) / 2 - sumOf([...open], (request) => claimOf(request) - expectedOf(request))
  const accountOf = (caseId: string): Account => {
    const name = caseId.replace(OF_A_RUN, '')
    const account =
      cases.get(name) ?? createAccount('The budget of the case', '--max-cost-usd-per-case', maxCostUsdPerCase)
    cases.set(name, account)
    return account
  }

  const openSpending = (accounts: readonly Account[], code: RefusalCode): Spending => {
    let stopped: AgentEvalsError | null = null
    const refuse = (account: Account, { inputUsd }: RequestCost): AgentEvalsError => {
      // Cases that have not started would fail one after the other. A request that no such budget pays for says nothing of them.
      if (account === total && inputUsd < total.max) isSpent = true
      const left = dollars(Math.max(0, leftOf(account)))
      const { name, flag, max } = account
      return new AgentEvalsError(
        code,
        `${name} of $${max} has ${left} left, and the next request costs ${dollars(inputUsd)} before its answer. Raise it with ${flag}.`,
      )
    }
    const settleWith = (usd: number): void => {
      for (const account of accounts) account.spent += usd
    }
    return {
      admit(asked) {
        if (stopped !== null) throw stopped
        if (asked === null) return unpriced(settleWith)
        const { inputUsd, tokenUsd, thinkingTokens } = asked
        const short = accounts.find((account) => leftOf(account) <= inputUsd)
        if (short !== undefined) throw refuse(short, asked)
        const least = leastOf(thinkingTokens)
        // Half of what is left, so that others can ask beside it.
        const half = (Math.min(...accounts.map(leftOf)) - inputUsd) / 2
        const left = Math.min(half, least * tokenUsd + Math.min(...accounts.map(leftForLong)))
        const paid = tokenUsd === 0 ? Infinity : Math.floor(left / tokenUsd)
        const outputTokens = Math.min(asked.outputTokens, Math.max(least, paid))
        const request = { ...asked, outputTokens }
        for (const { open } of accounts) open.add(request)
        return {
          inputUsd,
          outputTokens,
          isLowered: outputTokens < asked.outputTokens,
          settle(usd, usedTokens = 0) {
            const charged = usd ?? expectedOf(request)
            longest = Math.max(longest, usedTokens)
            if (total.open.has(request)) settleWith(charged)
            for (const { open } of accounts) open.delete(request)
            return charged
          },
        }
      },
      cut(outputTokens) {
        stopped ??= new AgentEvalsError(
          code,
          `The model was cut off after ${outputTokens} tokens, which is what the budget had left for this answer. Raise the budget with --max-cost-usd or --max-cost-usd-per-case.`,
        )
        return stopped
      },
    }
  }

  return {
    check(caseId) {
      const code = refusalOf(caseId)
      if (total.spent >= total.max || (isSpent && code === 'budget-spent')) throw spentError(code, total)
    },
    open: (caseId) => openSpending([total, accountOf(caseId)], refusalOf(caseId)),
    spent: () => total.spent,
  }
}

type RefusalCode = 'budget-spent' | 'judge-not-paid'

function refusalOf(caseId: string): RefusalCode {
  return OF_A_JUDGE.test(caseId) ? 'judge-not-paid' : 'budget-spent'
}

function createAccount(name: string, flag: string, max: number): Account {
  return { name, flag, max, spent: 0, open: new Set() }
}

// Nothing is expected of it, but what it turns out to have cost counts.
function unpriced(settleWith: (usd: number) => void): PaidRequest {
  let isOpen = true
  return {
    inputUsd: 0,
    outputTokens: null,
    isLowered: false,
    settle(usd) {
      if (!isOpen || usd === null) return null
      isOpen = false
      settleWith(usd)
      return usd
    },
  }
}

function spentError(code: RefusalCode, { max, spent, flag }: Account): AgentEvalsError {
  return new AgentEvalsError(
    code,
    `The budget of $${max} is spent (${dollars(spent)}). Raise it with ${flag} to run the rest.`,
  )
}

/** What workers write behind the id of a case tells its runs and its judge apart. */
const OF_A_JUDGE = / \(judge\)$/
const OF_A_RUN = /(?: \((?:run \d+|judge)\))+$/
/** An answer is never limited to fewer tokens, nor to those for thinking alone, which an API refuses. */
function leastOf(thinkingTokens: number): number {
  return Math.max(LEAST_TOKENS, thinkingTokens + 1)
}

const LEAST_TOKENS = 8000
const LEAST_EXPECTED = 2000
