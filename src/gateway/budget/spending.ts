import { sumOf } from '../../lib/lists.ts'
import { dollars, plural } from '../../lib/text.ts'
import { NO_USAGE, type Usage } from '../../transcript/transcript.ts'

/** Without the noise of floating-point sums. */
export function microdollars(usd: number): number {
  return Math.round(usd * 1e6) / 1e6
}

/** The sum of the tokens that are known; `null` when none are. */
export function addUsage<Tokens extends TokenCounts<Tokens>>(usages: readonly (Tokens | null)[]): Tokens | null {
  return usages.reduce((sum, usage) => (sum === null || usage === null ? (sum ?? usage) : addTokens(sum, usage)), null)
}

type TokenCounts<Tokens> = { readonly [Kind in keyof Tokens]: number }

function addTokens<Tokens extends TokenCounts<Tokens>>(left: Tokens, right: Tokens): Tokens {
  const kinds = Object.keys(left) as (keyof Tokens)[]
  return Object.fromEntries(kinds.map((kind) => [kind, left[kind] + right[kind]])) as Tokens
}

/** The sum of amounts; `null` when any is unknown. */
export function sumCost(costs: readonly (number | null)[]): number | null {
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0)
}

/** The sum of tokens; `null` when any are unknown. */
export function sumUsage(usages: readonly (Usage | null)[]): Usage | null {
  return usages.reduce<Usage | null>(
    (sum, usage) => (sum === null || usage === null ? null : addTokens(sum, usage)),
    NO_USAGE,
  )
}

/** A cost of which parts may be unknown. */
interface PartlyKnown {
  /** US dollars of the known parts; `null` when none is known. */
  readonly usd: number | null
  /** Cases with a part of unknown cost. */
  readonly unknownCases: number
}

/** A cost for reading, such as `$0.12 + unknown for 3 cases`. An unknown part is never left out. */
export function describeCost({ usd, unknownCases }: PartlyKnown, unit = 'case'): string {
  if (usd === null || (usd === 0 && unknownCases > 0)) return 'unknown'
  return unknownCases === 0 ? dollars(usd) : `${dollars(usd)} + unknown for ${plural(unknownCases, unit)}`
}

/** Adds up what single cases cost: their known parts, and how many have another one. */
export function addCosts(
  cases: readonly { readonly usd: number | null; readonly knownUsd: number }[],
): PartlyKnown & { readonly usd: number } {
  return {
    usd: sumOf(cases, ({ knownUsd }) => knownUsd),
    unknownCases: cases.filter(({ usd }) => usd === null).length,
  }
}
