import { AgentEvalsError } from '../../errors.ts'
import { dollars } from './dollars.ts'
import { createPurse } from './ledger.ts'
import type { Ledger, Purse, Taken } from './ledger.ts'
import type { MeterReading } from '../leases/lease.ts'

/** What limits live work: the money that may be spent, and an account that has none left. */
export interface Budget {
  /**
   * Whether another run may ask this account.
   *
   * @throws {AgentEvalsError} `budget-spent` or `out-of-credit`.
   */
  check(account: string): void
  /** The money of one lease. Leases of the same case share its limit. */
  open(caseName: string): Spending
  /** US dollars that were spent so far, as far as it is known. */
  spent(): number
  /** Notes what a finished run has met; `account` is `null` for one that asked none. */
  close(account: string | null, reading: Pick<MeterReading, 'problems'>): void
}

/** The money of one lease. */
export interface Spending {
  /**
   * Sets aside what a request may cost at most, and waits while other requests hold what it needs.
   *
   * @param usd - `null` for an unknown price, which no budget can stop.
   * @throws {AgentEvalsError} `budget-spent` when it can never fit.
   */
  reserve(usd: number | null, signal: AbortSignal): Promise<Reservation>
  /** The run was ended from outside: what its last requests lost by that is charged as far as it was seen. */
  endedEarly(): void
}

/** What one request may cost. The first call of the two decides. */
export interface Reservation {
  /** The request has an answer; `null` for an answer whose cost is unknown, which is charged in full. */
  settle(usd: number | null): void
  /** The engine hung up. It is charged in full: the API may still work on it. */
  abandon(seenUsd: number | null): void
}

/** The limits of one Vitest process, in US dollars. */
export interface BudgetLimits {
  readonly maxCostUsd: number
  readonly maxCostUsdPerCase: number
}

export function createBudget({ maxCostUsd, maxCostUsdPerCase }: BudgetLimits): Budget {
  const total = openLedger(maxCostUsd, 'The budget', 'AGENT_EVALS_MAX_COST_USD')
  const cases = new Map<string, Ledger>()
  const empty = new Map<string, string>()
  const purse = createPurse()
  // What the first request of a run may cost: no session has a say in it yet.
  let opening = 0
  return {
    check(account) {
      const problem = empty.get(account)
      if (problem !== undefined) throw new AgentEvalsError('out-of-credit', problem)
      if (total.spent < maxCostUsd && total.spent + opening <= maxCostUsd) return
      throw new AgentEvalsError(
        'budget-spent',
        `The budget of $${maxCostUsd} is spent (${dollars(total.spent)}${opening === 0 ? '' : `; a first request may cost ${dollars(opening)}`}). Raise it with AGENT_EVALS_MAX_COST_USD to run the rest.`,
      )
    },
    open(caseName) {
      const own =
        cases.get(caseName) ??
        openLedger(maxCostUsdPerCase, 'The budget of the case', 'AGENT_EVALS_MAX_COST_USD_PER_CASE')
      cases.set(caseName, own)
      return openSpending(purse, [total, own], (usd) => {
        opening = Math.max(opening, usd)
      })
    },
    spent: () => total.spent,
    close(account, { problems }) {
      const problem = problems.find(({ code }) => code === 'out-of-credit')
      if (account !== null && problem !== undefined && !empty.has(account)) empty.set(account, problem.message)
    },
  }
}

function openSpending(purse: Purse, ledgers: readonly Ledger[], opens: (usd: number) => void): Spending {
  let lost = 0
  let isFirst = true
  return {
    async reserve(usd, signal) {
      lost = 0
      if (usd === null) return UNLIMITED
      if (isFirst) opens(usd)
      isFirst = false
      let release: Taken | null = await purse.take(ledgers, usd, signal, (ledger) => tooExpensive(ledger, usd))
      const charge = (cost: number): void => {
        release?.(cost)
        release = null
      }
      return {
        settle: (cost) => charge(cost ?? usd),
        abandon(seenUsd) {
          if (release !== null) lost += usd - Math.min(usd, seenUsd ?? 0)
          charge(usd)
        },
      }
    },
    endedEarly() {
      purse.refund(ledgers, lost)
      lost = 0
    },
  }
}

const UNLIMITED: Reservation = { settle() {}, abandon() {} }

function openLedger(max: number, name: string, variable: string): Ledger {
  return { max, name, variable, spent: 0, reserved: 0 }
}

function tooExpensive({ name, max, spent, variable }: Ledger, usd: number): AgentEvalsError {
  const left = dollars(Math.max(0, max - spent))
  return new AgentEvalsError(
    'budget-spent',
    `${name} of $${max} has ${left} left, and the next request may cost ${dollars(usd)}. Raise it with ${variable}.`,
  )
}
