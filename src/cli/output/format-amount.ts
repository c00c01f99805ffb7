import { dollars } from '../../gateway/budget/dollars.ts'

/** Dollars for reading; `null` is unknown and never a guess. */
export function formatDollars(amount: number | null): string {
  if (amount === null) return UNKNOWN
  return dollars(amount)
}

/** Seconds for reading. */
export function formatSeconds(seconds: number | null): string {
  if (seconds === null) return UNKNOWN
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

const UNKNOWN = 'unknown'
