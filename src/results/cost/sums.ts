import type { Usage } from '../../transcript/transcript.ts'

/** The sum of amounts; `null` when any is unknown. */
export function sumCost(costs: readonly (number | null)[]): number | null {
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0)
}

/** The sum of tokens; `null` when any are unknown. */
export function sumUsage(usages: readonly (Usage | null)[]): Usage | null {
  return usages.reduce<Usage | null>(
    (sum, usage) =>
      sum === null || usage === null
        ? null
        : {
            inputTokens: sum.inputTokens + usage.inputTokens,
            outputTokens: sum.outputTokens + usage.outputTokens,
            cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
            cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
          },
    { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  )
}
