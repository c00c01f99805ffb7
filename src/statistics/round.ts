import type { Interval } from './wilson.ts'

/** A share with two decimals. Rounded to the nearest, but 1 is only what is whole. */
export function hundredths(share: number): number {
  return round(share, 100)
}

/** A share with three decimals, by the same rule. */
export function thousandths(share: number): number {
  return round(share, 1000)
}

/** An interval of shares, each with three decimals; `null` stays `null`. */
export function roundInterval(interval: Interval | null): Interval | null {
  return interval === null ? null : [thousandths(interval[0]), thousandths(interval[1])]
}

/** A share in whole percent, by the same rule. */
export function wholePercent(share: number): number {
  return Math.round(hundredths(share) * 100)
}

/** A share as people read it, such as `67%`. */
export function percent(share: number): string {
  return `${wholePercent(share)}%`
}

// Of 199 out of 200 one failed: that is no 100 %.
function round(share: number, parts: number): number {
  const rounded = Math.round(share * parts) / parts
  return Math.abs(share) < 1 && Math.abs(rounded) === 1 ? (Math.sign(share) * (parts - 1)) / parts : rounded
}

/** The number that a share of the others does not exceed; 0 where there is none. */
export function quantile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(share * numbers.length)] ?? 0
}
