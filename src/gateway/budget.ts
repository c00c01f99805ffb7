import { AgentEvalsError } from '../errors.ts'
import type { MeterReading } from './lease.ts'

/** What stops new live work: the money that may be spent, and an account that has none left. */
export interface Budget {
  /** @throws {AgentEvalsError} `budget-spent` or `out-of-credit`. */
  check(running: readonly MeterReading[]): void
  /** US dollars that the finished runs have cost, as far as it is known. */
  spent(): number
  /** Takes what a finished live run has cost. */
  settle(reading: MeterReading): void
}

/** Makes the budget of one Vitest process, in US dollars. A run of unknown cost is not counted: it cannot be stopped. */
export function createBudget(maxCostUsd: number): Budget {
  let spent = 0
  let emptyAccount: string | null = null
  return {
    check(running) {
      if (emptyAccount !== null) throw new AgentEvalsError('out-of-credit', emptyAccount)
      const total = running.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), spent)
      if (total < maxCostUsd) return
      throw new AgentEvalsError(
        'budget-spent',
        `The budget of $${maxCostUsd} is spent ($${total.toFixed(2)}). Raise it with AGENT_EVALS_MAX_COST_USD to run the rest.`,
      )
    },
    spent: () => spent,
    settle({ costUsd, problems }) {
      spent += costUsd ?? 0
      emptyAccount ??= problems.find(({ code }) => code === 'out-of-credit')?.message ?? null
    },
  }
}
