import type { ReportStatus } from '../../results/report-status.ts'

/** How a run ended, as far as its exit code goes. */
export interface RunEnding {
  readonly failed: number
  readonly errored: number
  /** Of the reports; `null` when none were written. */
  readonly status: ReportStatus | null
  /** What Vitest, its reporters or ours made of it. */
  readonly exitCode: number
}

/** 1 when anything failed, else 2 when anything is unknown; 130 when the run was stopped. */
export function exitCodeOf({ failed, errored, status, exitCode }: RunEnding): number {
  if (status === 'interrupted' || INTERRUPTED.has(exitCode)) return 130
  if (failed > 0) return 1
  // What is red without a failure could not be completed: nothing ran, a worker was lost, nothing was found.
  return errored > 0 || status === 'partial' || exitCode !== 0 ? 2 : 0
}

// SIGINT and SIGTERM.
const INTERRUPTED: ReadonlySet<number> = new Set([130, 143])
