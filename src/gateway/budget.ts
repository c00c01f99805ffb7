import { AgentEvalsError } from '../errors.ts'
import { dollars } from './dollars.ts'
import type { MeterReading } from './lease.ts'

/** What stops new live work: the money that may be spent, and an account that has none left. */
export interface Budget {
  /**
   * Whether another run may ask this account.
   *
   * @throws {AgentEvalsError} `budget-spent` or `out-of-credit`.
   */
  check(account: string, running: readonly MeterReading[]): void
  /** US dollars that the finished runs have cost, as far as it is known. */
  spent(): number
  /** Takes what a finished run has cost; `account` is `null` for one that asked none. */
  settle(account: string | null, reading: MeterReading): void
}

/** Makes the budget of one Vitest process, in US dollars. A run of unknown cost is not counted: it cannot be stopped. */
export function createBudget(maxCostUsd: number): Budget {
  let spent = 0
  const empty = new Map<string, string>()
  return {
    check(account, running) {
      const problem = empty.get(account)
      if (problem !== undefined) throw new AgentEvalsError('out-of-credit', problem)
      const total = running.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), spent)
      if (total < maxCostUsd) return
      throw new AgentEvalsError(
        'budget-spent',
        `The budget of $${maxCostUsd} is spent (${dollars(total)}). Raise it with AGENT_EVALS_MAX_COST_USD to run the rest.`,
      )
    },
    spent: () => spent,
    settle(account, { costUsd, problems }) {
      spent += costUsd ?? 0
      const problem = problems.find(({ code }) => code === 'out-of-credit')
      if (account !== null && problem !== undefined && !empty.has(account)) empty.set(account, problem.message)
    },
  }
}
