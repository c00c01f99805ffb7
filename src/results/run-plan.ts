import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { JsonObject } from '../json.ts'
import type { PlannedCase } from './result.ts'

/** What `run.json` holds: written before the first case starts, so that nothing planned can vanish. */
export interface RunPlan {
  readonly version: 1
  /** Name of the run folder. */
  readonly run: string
  /** ISO 8601. */
  readonly startedAt: string
  /** When each further pass of a watching Vitest began. A pass replaces what earlier ones say of the case. */
  readonly rounds: readonly string[]
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** Hash of all cases of data files that the filters leave, the same for every shard; absent in plans of earlier versions. */
  readonly plan?: string
  readonly cases: readonly PlannedCase[]
  /** The placeholder of each file of tests in TypeScript until it was collected: it must not look like fewer tests. */
  readonly files: readonly PlannedCase[]
  /** One entry per report: package and engine. */
  readonly reports: readonly PlannedReport[]
  /** Options as resolved, for the record. */
  readonly options: JsonObject
  readonly versions: { readonly agentEvals: string | null; readonly vitest: string | null; readonly node: string }
  readonly process: RunProcess
}

/** What a report says besides its results. */
export interface PlannedReport {
  /** Absolute path of the package. */
  readonly packageRoot: string
  readonly engineName: string
  readonly packageName: string | null
  readonly packageVersion: string | null
  /** Judge as asked for; `null` when it follows from the agent's model. */
  readonly judge: string | null
  /** Seconds per case. */
  readonly timeout: number | null
  /** What lint finds in the files of the run, with their places; absent in plans of earlier versions. */
  readonly notices?: readonly LintNotice[]
}

/** A remark of lint on a file that the run reads. */
export interface LintNotice {
  readonly code: string
  /** With the place. */
  readonly text: string
}

/** The main process of a run. */
export interface RunProcess {
  readonly pid: number
  /** Ticks since boot, as the system counts them; `null` where it does not say. */
  readonly startTicks: string | null
  readonly host: string
}

/** This process, as a plan names it. */
export function thisProcess(): RunProcess {
  return { pid: process.pid, startTicks: readStartTicks(process.pid), host: hostname() }
}

/** Whether the process of a run still runs. One of another machine cannot be asked and counts as running. */
export function isRunning(run: RunProcess): boolean {
  if (run.host !== hostname()) return true
  try {
    process.kill(run.pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  // Process ids are given out again: another start time is another process.
  return run.startTicks === null || readStartTicks(run.pid) === run.startTicks
}

function readStartTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in the second field may hold blanks and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
