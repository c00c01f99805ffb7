import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createFile, listNames, replaceFile, tryReadJson } from '../../lib/files.ts'
import { formatJson, isJsonObject, type JsonObject } from '../../lib/json.ts'
import type { GateResult } from '../compare/comparison-schema.ts'
import type { PlannedAgainst } from '../compare/against.ts'
import { knownProvenance, type Provenance } from './provenance.ts'
import type { PlannedCase, ReportStatus } from './result.ts'

/** A run folder and its plan. */
export interface RunFolder {
  /** Absolute path. */
  readonly path: string
  readonly plan: RunPlan
}

/** What `ended.json` says once the reports of a run are written. */
export interface RunEnd {
  readonly status: ReportStatus
  /** Absolute paths. */
  readonly reports: readonly string[]
  /** US dollars that the gateway counted, agents and judges of all packages together; absent where it was not asked. */
  readonly gatewayCostUsd?: number
  /** What the gate of the run found; absent where it has none. */
  readonly gate?: GateResult['verdict']
}

/** Where the run folders of a Vitest root lie. */
export function runsFolder(root: string): string {
  return join(root, RUNS)
}

/** As {@link runsFolder}, below the root. */
const RUNS = '.vitest/agent-evals'

/** Names a new run: its time, and a random end for what starts in the same moment. */
export function createRunId(startedAt: Date): string {
  return `${startedAt.toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(3).toString('hex')}`
}

/** Keeps the plan without what a filter left out: a later merge must not take it for lost. */
export function settlePlan({ path, plan }: RunFolder, cases: readonly PlannedCase[]): void {
  if (cases.length < plan.cases.length) replaceFile(join(path, PLAN), formatJson({ ...plan, cases }))
}

/** Reads the plan of a run folder; `null` when it has none that this version understands. */
export function readRunFolder(path: string): RunFolder | null {
  const plan = tryReadJson(join(path, PLAN))
  if (!isJsonObject(plan) || plan['version'] !== 1) return null
  const read = plan as unknown as RunPlan
  // Folders of earlier versions have no files.
  return { path, plan: 'files' in plan ? read : { ...read, files: [] } }
}

/** Keeps the provenance beside the plan: a recovered run must not be given that of a later day. */
export function keepProvenance(path: string, packageRoot: string, provenance: Provenance): void {
  const kept = tryReadJson(join(path, PROVENANCE))
  replaceFile(join(path, PROVENANCE), formatJson({ ...(isJsonObject(kept) ? kept : {}), [packageRoot]: provenance }))
}

/** The provenance that was kept for a package; `null` when the run ended before it was known. */
export function readProvenance(path: string, packageRoot: string): Provenance | null {
  const kept = tryReadJson(join(path, PROVENANCE))
  return isJsonObject(kept) && isJsonObject(kept[packageRoot]) ? (kept[packageRoot] as unknown as Provenance) : null
}

/** The provenance that was kept for a package, else what the plan and this machine know of it. */
export function provenanceOf({ path, plan }: RunFolder, packageRoot: string): Provenance {
  const { vitest, node, agentEvals } = plan.versions
  const known = { ...knownProvenance(vitest), nodeVersion: node, agentEvalsVersion: agentEvals }
  return readProvenance(path, packageRoot) ?? known
}

/** Says that the reports of a run are written: it needs no recovery. */
export function endRun(path: string, end: RunEnd): void {
  replaceFile(join(path, END), formatJson(end))
}

/** The end of the run; `null` when it runs still, or was lost. */
export function readRunEnd(path: string): RunEnd | null {
  const end = tryReadJson(join(path, END))
  return isJsonObject(end) ? (end as unknown as RunEnd) : null
}

/** What the last run of this very process ended with; `null` when it has had none here, or that has not ended. */
export function readOwnRunEnd(root: string): RunEnd | null {
  const parent = runsFolder(root)
  const { pid, startTicks, host } = thisProcess()
  const ownRun = listRuns(parent).findLast((run) => {
    const owner = readRunFolder(join(parent, run))?.plan.process
    return owner?.pid === pid && owner.startTicks === startTicks && owner.host === host
  })
  return ownRun === undefined ? null : readRunEnd(join(parent, ownRun))
}

/**
 * Takes a lost run, so that of two starts at once only one recovers it; `false` when another process has it.
 *
 * Who took it and died before the end has not taken it.
 */
export function claimLostRun(path: string): boolean {
  const file = join(path, CLAIM)
  if (createFile(file, formatJson(thisProcess()))) return true
  const owner = tryReadJson(file)
  if (isJsonObject(owner) && isRunning(owner as unknown as RunProcess)) return false
  replaceFile(file, formatJson(thisProcess()))
  return true
}

/** Names of the runs in a folder, oldest first. */
export function listRuns(parent: string): readonly string[] {
  return listNames(parent)
    .filter((name) => RUN.test(name))
    .toSorted()
}

/** Folder in that of a run for the files of the version that it is compared with, while it runs. */
export const VERSION = 'before'
/** What a run was planned to be. */
export const PLAN = 'run.json'
/** What a run ended with. */
export const END = 'ended.json'
const PROVENANCE = 'provenance.json'
const CLAIM = 'recovered-by.json'
const RUN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{6}$/

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
  /** Hash of all files of tests in TypeScript, the same for every shard; absent where the run is whole. */
  readonly dealtFiles?: string
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
  /** The version that its cases are compared with; absent where there is none. */
  readonly against?: PlannedAgainst
}

/** A remark of lint on a file that the run reads. */
export interface LintNotice {
  readonly code: string
  /** With the place. */
  readonly text: string
}

/** The main process of a run. */
interface RunProcess {
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
