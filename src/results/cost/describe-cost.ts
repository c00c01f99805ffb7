import { dollars } from '../../gateway/budget/dollars.ts'
import { sumOf } from '../../lists.ts'

/** A cost of which parts may be unknown. */
export interface PartlyKnown {
  /** US dollars of the known parts; `null` when none is known. */
  readonly usd: number | null
  /** Cases with a part of unknown cost. */
  readonly unknownCases: number
}

/** A cost for reading, such as `$0.12 + unknown for 3 cases`. An unknown part is never left out. */
export function describeCost({ usd, unknownCases }: PartlyKnown, unit = 'case'): string {
  if (usd === null || (usd === 0 && unknownCases > 0)) return 'unknown'
  const cases = unknownCases === 1 ? `1 ${unit}` : `${unknownCases} ${unit}s`
  return unknownCases === 0 ? dollars(usd) : `${dollars(usd)} + unknown for ${cases}`
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
