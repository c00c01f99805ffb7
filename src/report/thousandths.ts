/** A share as reports say it. */
export function thousandths(share: number): number {
  return Math.round(share * 1000) / 1000
}
