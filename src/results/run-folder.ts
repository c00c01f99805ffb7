import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { AgentEvalsError, messageOf } from '../errors.ts'
import { formatJson, isJsonObject } from '../json.ts'
import { makeFolders } from './make-folders.ts'
import { createFile, replaceFile } from '../write-atomically.ts'
import { isRunning, thisProcess, type RunPlan, type RunProcess } from './run-plan.ts'
import { linkOnTheWay, listNames, refuseLinks, tryReadJson } from '../files.ts'
import { ownEntries } from '../process/git.ts'
import type { Provenance } from './provenance.ts'
import type { PlannedCase } from './result.ts'
import type { ReportStatus } from './report-status.ts'

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
}

/** The part of a plan that the caller knows. */
export type PlannedRun = Pick<RunPlan, 'cases' | 'files' | 'options' | 'plan' | 'reports' | 'versions'>

/** Where the run folders of a Vitest root lie. */
export function runsFolder(root: string): string {
  return join(root, RUNS)
}

/** As {@link runsFolder}, below the root. */
export const RUNS = '.vitest/agent-evals'

/** Names a new run: its time, and a random end for what starts in the same moment. */
export function createRunId(startedAt: Date): string {
  return `${startedAt.toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(3).toString('hex')}`
}

/** Creates the folder of a new run with its plan and removes the oldest ones with their reports. A folder that has a plan is taken. */
export function createRunFolder(
  root: string,
  run: string,
  planned: PlannedRun,
  startedAt: Date = new Date(),
): RunFolder {
  const parent = runsFolder(root)
  const path = join(parent, run)
  const plan: RunPlan = {
    version: 1,
    run,
    startedAt: startedAt.toISOString(),
    rounds: [],
    root,
    process: thisProcess(),
    ...planned,
  }
  try {
    refuseLinks(root, path)
    makeFolders(path)
    // The folder ignores itself: no .gitignore needs an edit.
    replaceFile(join(parent, '.gitignore'), '*\n')
    if (!createFile(join(path, PLAN), formatJson(plan))) throw new Error(`${path} is the folder of another run`)
    writeFileSync(join(path, BALLAST), randomBytes(BALLAST_BYTES))
  } catch (error) {
    const reason = messageOf(error)
    throw new AgentEvalsError(
      'report-unwritable',
      `Cannot store the results of this run in ${path}: ${reason}. Make it writable, or free some space.`,
      { cause: error },
    )
  }
  removeOldRuns(root, parent)
  return { path, plan }
}

/** Begins a further pass of a watching Vitest, which may have found other cases. */
export function startRound({ path, plan }: RunFolder, planned: PlannedRun, startedAt: Date = new Date()): RunFolder {
  const next = { ...plan, ...planned, rounds: [...plan.rounds, startedAt.toISOString()] }
  replaceFile(join(path, PLAN), formatJson(next))
  writeFileSync(join(path, BALLAST), randomBytes(BALLAST_BYTES))
  rmSync(join(path, END), { force: true })
  return { path, plan: next }
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

/** Says that the reports of a run are written: it needs no recovery. */
export function endRun(path: string, end: RunEnd): void {
  rmSync(join(path, BALLAST), { force: true })
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
  const own = listRuns(parent).findLast((run) => {
    const owner = readRunFolder(join(parent, run))?.plan.process
    return owner?.pid === pid && owner.startTicks === startTicks && owner.host === host
  })
  return own === undefined ? null : readRunEnd(join(parent, own))
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

function removeOldRuns(root: string, parent: string): void {
  const runs = listRuns(parent)
  for (const run of runs.slice(0, Math.max(0, runs.length - KEPT))) {
    const path = join(parent, run)
    // A watching Vitest has ended each of its runs, and needs the folder for the next one.
    if (mayRun(path)) continue
    try {
      for (const report of reportsOf(root, parent, run)) rmSync(report, { force: true })
      rmSync(path, { recursive: true, force: true })
    } catch {
      // An old folder that stays costs nothing but space.
    }
  }
}

// Those in the place of reports that Git does not track: what somebody committed, moved or named is theirs.
function reportsOf(root: string, parent: string, run: string): readonly string[] {
  const end = readRunEnd(join(parent, run))
  const named = Array.isArray(end?.reports) ? end.reports.filter((report) => typeof report === 'string') : []
  const placed = named.filter(
    (report) =>
      REPORT.test(report.replaceAll('\\', '/')) &&
      report.startsWith(join(root, sep)) &&
      linkOnTheWay(root, report) === null,
  )
  if (placed.length === 0 || ownEntries(parent, [run]).length === 0) return []
  return placed.filter((report) => ownEntries(dirname(report), [basename(report)]).length > 0)
}

function mayRun(path: string): boolean {
  const owner = readRunFolder(path)?.plan.process
  if (owner === undefined || !isRunning(owner)) return false
  const isOwn = owner.pid === process.pid && owner.host === thisProcess().host
  return !isOwn || tryReadJson(join(path, END)) === undefined
}

/** Names of the runs in a folder, oldest first. */
export function listRuns(parent: string): readonly string[] {
  return listNames(parent)
    .filter((name) => RUN.test(name))
    .toSorted()
}

/** File that is removed when the disk is full, so that the results still fit. */
export const BALLAST = 'ballast'
const BALLAST_BYTES = 256 * 1024
const PLAN = 'run.json'
const END = 'ended.json'
const PROVENANCE = 'provenance.json'
const CLAIM = 'recovered-by.json'
const RUN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{6}$/
const REPORT = /\/evals\/reports\/\d{4}-\d\d-\d\dT[^/]*\.json$/
const KEPT = 20
