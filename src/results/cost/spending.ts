import { sumOf } from '../../lists.ts'
import type { Usage } from '../../transcript/transcript.ts'

/** What was spent, as far as it is known. */
export interface Spending {
  /** US dollars of the known parts. */
  readonly usd: number
  /** Whether a part has an unknown cost. */
  readonly hasUnknown: boolean
  /** Tokens of the known parts; `null` when none are known. */
  readonly usage: Usage | null
}

/** What one case took. */
export interface CaseSpending {
  readonly agent: Spending
  readonly judge: Spending
}

/** What one lease of the gateway took: a run, or a judge. */
export function spendingOfLease({ costUsd, usage }: { costUsd: number | null; usage: Usage | null }): Spending {
  return { usd: costUsd ?? 0, hasUnknown: costUsd === null, usage }
}

/** Adds up what several things took. */
export function addSpending(parts: readonly Spending[]): Spending {
  return {
    usd: sumOf(parts, ({ usd }) => usd),
    hasUnknown: parts.some(({ hasUnknown }) => hasUnknown),
    usage: addUsage(parts.map(({ usage }) => usage)),
  }
}

/** Dollars of a spending; `null` when a part is unknown. */
export function knownOrNull({ usd, hasUnknown }: Spending): number | null {
  return hasUnknown ? null : microdollars(usd)
}

/** Without the noise of floating-point sums. */
export function microdollars(usd: number): number {
  return Math.round(usd * 1e6) / 1e6
}

function addUsage(usages: readonly (Usage | null)[]): Usage | null {
  return usages.reduce((sum, usage) => {
    if (sum === null || usage === null) return sum ?? usage
    return {
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
    }
  }, null)
}
