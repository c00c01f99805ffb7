import { accessSync, constants, existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { createFile, linkOnTheWay, refuseLinks, replaceFile, tryReadJson } from '../../lib/files.ts'
import { formatJson } from '../../lib/json.ts'
import { ownEntries } from '../../sandbox/process/git.ts'
import {
  END,
  PLAN,
  VERSION,
  isRunning,
  listRuns,
  readRunEnd,
  readRunFolder,
  runsFolder,
  thisProcess,
  type RunFolder,
  type RunPlan,
} from './run-folder.ts'

/** The part of a plan that the caller knows. */
export type PlannedRun = Pick<RunPlan, 'cases' | 'dealtFiles' | 'files' | 'options' | 'plan' | 'reports' | 'versions'>

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
    requireSpace(path)
    if (!createFile(join(path, PLAN), formatJson(plan))) throw new Error(`${path} is the folder of another run`)
  } catch (error) {
    const reason = messageOf(error)
    throw new AgentEvalsError(
      'report-unwritable',
      `Cannot store the results of this run in ${path}: ${reason}. Make it writable, or free some space.`,
      { cause: error },
    )
  }
  removeOldRuns(root, parent)
  removeLeftVersions(parent)
  return { path, plan }
}

/** Begins a further pass of a watching Vitest, which may have found other cases. */
export function startRound({ path, plan }: RunFolder, planned: PlannedRun, startedAt: Date = new Date()): RunFolder {
  const next = { ...plan, ...planned, rounds: [...plan.rounds, startedAt.toISOString()] }
  replaceFile(join(path, PLAN), formatJson(next))
  rmSync(join(path, END), { force: true })
  return { path, plan: next }
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

// A run that was killed leaves a whole checkout behind, of which nothing is read again.
function removeLeftVersions(parent: string): void {
  for (const run of listRuns(parent)) {
    const path = join(parent, run)
    // The plan of a large run takes long to read.
    if (!existsSync(join(path, VERSION))) continue
    const owner = readRunFolder(path)?.plan.process
    if (owner === undefined || isRunning(owner)) continue
    try {
      rmSync(join(path, VERSION), { recursive: true, force: true })
    } catch {
      // As for an old folder.
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

// A file system that does not count its blocks has none.
function requireSpace(path: string): void {
  const { bavail, blocks, bsize } = statfsSync(path)
  if (blocks > 0 && bavail * bsize < LEAST_BYTES) throw new Error('ENOSPC: less than 256 KiB of the disk are free')
}

const LEAST_BYTES = 256 * 1024
const REPORT = /\/evals\/reports\/\d{4}-\d\d-\d\dT[^/]*\.json$/
const KEPT = 20

/** Makes a folder and those above it. Throws the true reason on a read-only disk, where Node reports ENOENT. */
export function makeFolders(path: string): void {
  try {
    makeFirst(path)
    mkdirSync(path, { recursive: true })
  } catch (error) {
    accessSync(nearestExisting(path), constants.W_OK)
    throw error
  }
}

// Where nothing can be made, such as below /proc, Node's own way to make all of them tries for ever.
function makeFirst(path: string): void {
  const parent = dirname(path)
  if (existsSync(path)) return
  if (!existsSync(parent)) return makeFirst(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error
  }
}

function nearestExisting(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestExisting(parent)
}
