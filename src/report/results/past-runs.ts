import { join } from 'node:path'
import { linkOnTheWay, listNames, tryReadText, codeOf } from '../../lib/files.ts'
import { isJsonObject, objectsOf, tryParseJson, type JsonObject } from '../../lib/json.ts'
import { sumCost } from '../../gateway/budget/spending.ts'
import { ownEntries } from '../../sandbox/process/git.ts'
import { JOURNAL } from './read-journal.ts'
import { isRunning, listRuns, PLAN, readRunEnd, readRunFolder, runsFolder, type RunFolder } from './run-folder.ts'
import { readdirSync } from 'node:fs'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'

/** What the newest live run of a case took, by the reports of its package. */
export interface PastRun {
  /** US dollars of agent and judge, of one run where there were several; `null` when it was not known. */
  readonly costUsd: number | null
  readonly durationSeconds: number | null
}

/** Reads what live runs took, by case id, from the reports of a package and engine; newest first, as many as needed. */
export function readPastRuns(packageRoot: string, engineName: string): ReadonlyMap<string, PastRun> {
  return readNewest(packageRoot, engineName, (entry, report) => {
    // Nothing ran for a rejudged report. A replay costs nothing and says nothing about a live run.
    if (report['rejudged_from'] !== undefined || !isLive(entry)) return null
    return {
      costUsd: perRun(numberOf(entry['cost_usd']), entry['runs']),
      durationSeconds: numberOf(entry['duration_seconds']),
    }
  })
}

/** What the newest completed run of each case says, by case id; `read` gives `null` where it says nothing. */
function readNewest<Past>(
  packageRoot: string,
  engineName: string,
  read: (entry: JsonObject, report: JsonObject) => Past | null,
): ReadonlyMap<string, Past> {
  const newest = new Map<string, Past>()
  for (const report of readReports(join(packageRoot, 'evals', 'reports'))) {
    for (const entry of objectsOf(report['cases'])) {
      if (typeof entry['id'] !== 'string' || newest.has(entry['id'])) continue
      // A run that broke off says nothing of what a whole one takes.
      if (entry['verdict'] !== 'PASS' && entry['verdict'] !== 'FAIL') continue
      if (entry['engine'] !== engineName) continue
      const past = read(entry, report)
      if (past !== null) newest.set(entry['id'], past)
    }
  }
  return newest
}

function isLive({ source }: JsonObject): boolean {
  return source === 'live' || source === 'record'
}

/** The reports of a folder, newest first: names begin with the time. Older ones add less and less. */
function* readReports(folder: string): Generator<JsonObject> {
  for (const name of listReports(folder).slice(-MOST_REPORTS).toReversed()) {
    // A report that cannot be read knows no costs.
    const report = tryParseJson(tryReadText(join(folder, name)) ?? '')
    if (isJsonObject(report)) yield report
  }
}

function listReports(folder: string): readonly string[] {
  return listNames(folder)
    .filter((name) => /^\d{4}-\d\d-\d\dT.*\.json$/.test(name))
    .toSorted()
}

/** The share of one run, of what all the runs of a case took. */
function perRun(amount: number | null, runs: unknown): number | null {
  return amount === null ? null : amount / Math.max(1, Array.isArray(runs) ? runs.length : 1)
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

const MOST_REPORTS = 20

/** What the newest completed run of a case took, whatever answered. */
export interface LastRun {
  /** Requests to a model or to what stood in for it, in one run. */
  readonly calls: number | null
  readonly durationSeconds: number | null
  /** Whether a model answered. */
  readonly isLive: boolean
}

/** Reads what the last runs took, by case id, from the reports of a package and engine. */
export function readLastRuns(packageRoot: string, engineName: string): ReadonlyMap<string, LastRun> {
  return readNewest(packageRoot, engineName, (entry) => {
    const runs = Array.isArray(entry['runs']) ? entry['runs'] : []
    if (runs.length === 0) return null
    const calls = runs.map((run: unknown) => (isJsonObject(run) ? numberOf(run['requests']) : null))
    return {
      calls: perRun(sumCost(calls), runs),
      durationSeconds: numberOf(entry['duration_seconds']),
      isLive: isLive(entry),
    }
  })
}

/** The run folders of a Vitest root that can be read, oldest first. */
export function listRunFolders(root: string): readonly RunFolder[] {
  return readPlans(root, ownRuns(root))
}

function readPlans(root: string, paths: readonly string[]): readonly RunFolder[] {
  return paths
    .map(readRunFolder)
    .filter((folder) => folder !== null)
    .filter(({ plan }) => plan.root === root)
}

// What run folders say decides where files are written and what has passed.
function ownRuns(root: string): readonly string[] {
  const parent = runsFolder(root)
  if (linkOnTheWay(root, parent) !== null) return []
  return ownEntries(parent, listRuns(parent)).map((run) => join(parent, run))
}

/** The runs that ended without a word: killed, out of memory, or the machine went down. Oldest first. */
export function findLostRuns(root: string): readonly RunFolder[] {
  // Every start looks, and the plans of large runs take long to read: those that ended are left out by their end.
  const open = ownRuns(root).filter((path) => readRunEnd(path) === null)
  return readPlans(root, open).filter(({ plan }) => !isRunning(plan.process))
}

/**
 * Finds the run folders in a folder: itself, or those below it, as an artifact of a CI job holds them.
 *
 * @throws {AgentEvalsError} `no-match` when there are none, `invalid-report` for one without a plan that can be read.
 */
export function findRunFolders(folder: string): readonly RunFolder[] {
  const found = search(folder, DEPTH)
  if (found.length > 0) return found
  throw new AgentEvalsError(
    'no-match',
    `${folder} contains no run. Name a folder of .vitest/agent-evals, or one that such folders were copied to.`,
  )
}

function search(folder: string, depth: number): readonly RunFolder[] {
  const run = readRunFolder(folder)
  if (run !== null) return [run]
  if (listNames(folder).some((name) => JOURNAL.test(name)))
    throw new AgentEvalsError('invalid-report', `${join(folder, PLAN)} is no plan of a run that this version reads.`)
  if (depth === 0) return []
  return subfolders(folder).flatMap((name) => search(join(folder, name), depth - 1))
}

function subfolders(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries
      .flatMap((entry) => (entry.isDirectory() && entry.name !== 'node_modules' ? [entry.name] : []))
      .toSorted()
  } catch (error) {
    const reason = messageOf(error)
    if (codeOf(error) === 'ENOENT')
      throw new AgentEvalsError('no-match', `There is no folder ${folder}.`, { cause: error })
    throw new AgentEvalsError('no-match', `${folder} cannot be read: ${reason}`, { cause: error })
  }
}

// Artifacts, a job, .vitest, agent-evals, the run.
const DEPTH = 5
