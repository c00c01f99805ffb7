import { existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { linkOnTheWay, replaceFile, tryReadText } from '../../lib/files.ts'
import { isJsonObject, tryParseJson, type JsonValue } from '../../lib/json.ts'
import { sha256, sha256OfJson } from '../../lib/sha256.ts'
import { ownEntries } from '../../sandbox/process/git.ts'
import { spendingOf } from './case-spending.ts'
import type { CaseResult, PlannedCase } from './result.ts'
import { runsFolder } from './run-folder.ts'

/** The last result of each case that passed without a model, for later runs in which nothing of the case has changed. */
export interface ResultCache {
  /** The result of a case whose input was that of the key; `null` when it has to run. */
  find(key: string, planned: PlannedCase): CaseResult | null
  /** Keeps a result that passed; forgets what was kept of a case that comes out otherwise with the same input. */
  keep(key: string, result: CaseResult): void
}

/** Where results are kept. */
export interface CacheOptions {
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** Absolute path of the folder. */
  readonly folder: string
  /** The time against which the age of a result is taken. @default that of the clock */
  readonly now?: () => Date
}

/**
 * A result that stands for a run that was not made. It costs nothing now, and what was taken over before is as old as it was.
 *
 * @param from - name of the run that made it.
 */
export function takeOver(paid: CaseResult, from: string): CaseResult {
  const { replaced: _, judge, runs, ...result } = paid
  return {
    ...result,
    // Its parts may become parts of another result.
    judge: judge === null ? null : { ...judge, costUsd: 0 },
    runs: runs.map((one) => ({ ...one, cost_usd: 0 })),
    reused_from: result.reused_from ?? from,
  }
}

/** An earlier result as that of a case of today: its name, place and quarantine may be others. */
export function ofToday(earlier: CaseResult, planned: PlannedCase): CaseResult {
  const { quarantined: _, ...result } = earlier
  return { ...result, ...planned }
}

/** The folder of the cache where no other is named. */
export function usualCacheFolder(root: string): string {
  return join(runsFolder(root), 'cache')
}

/**
 * Makes the folder of a cache; says in one sentence why there can be none, else `null`.
 *
 * Whoever can write there decides what has passed: what a repository brings, or a link leads to, is no cache.
 */
export function prepareCache({ root, folder }: CacheOptions): string | null {
  const parent = join(folder, '..')
  const unsafe = `${relative(root, folder)} is a link, or belongs to the repository or to another user`
  try {
    if (linkOnTheWay(root, folder) !== null) return unsafe
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!ownEntries(parent, [basename(folder)]).includes(basename(folder))) return unsafe
    if (!existsSync(join(folder, '.gitignore'))) replaceFile(join(folder, '.gitignore'), '*\n')
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Opens a cache whose folder {@link prepareCache} has made. */
export function openResultCache(run: string, { root, folder, now = () => new Date() }: CacheOptions): ResultCache {
  return {
    find(key, planned) {
      const entry = readEntry(fileOf(folder, root, planned))
      if (entry?.key !== key) return null
      const { result } = entry
      // A worker of a watching Vitest may live for days.
      const age = now().getTime() - Date.parse(result.startedAt)
      if (!(age <= MOST_AGE_MS && age >= -CLOCKS_DIFFER_MS)) return null
      return { ...ofToday(withEvidence(takeOver(result, entry.run), root), planned), cached: true }
    },
    keep(key, result) {
      // What was taken over is no news: what it was taken from stays as it is.
      if (result.reused_from !== null) return
      const file = fileOf(folder, root, result)
      if (!isKept(result)) {
        if (readEntry(file)?.key === key) rmSync(file, { force: true })
        return
      }
      const body = JSON.stringify({ key, run, result })
      try {
        replaceFile(file, `${sha256(body)}\n${body}\n`)
      } catch {
        // The case has its result; the next run makes it again.
      }
    },
  }
}

/** Whether there is a result of a case, with whatever input. */
export function holdsResult(planned: PlannedCase, { root, cache }: { root: string; cache: string | null }): boolean {
  return cache !== null && existsSync(fileOf(cache, root, planned))
}

interface Entry {
  readonly key: string
  /** Name of the run that made it. */
  readonly run: string
  readonly result: CaseResult
}

// Nothing that a model has answered in this run, the judge's part included: what has an unknown price was asked.
function isKept(result: CaseResult): boolean {
  if (result.outcome !== 'passed' || !isPlayed(result.source)) return false
  const { agent, judge } = spendingOf(result)
  return agent.usd === 0 && judge.usd === 0 && !judge.hasUnknown
}

function isPlayed(source: unknown): boolean {
  return source === 'replay' || source === 'scenario'
}

function fileOf(folder: string, root: string, { packageRoot, id, engineName }: PlannedCase): string {
  // Another checkout of the same project may have another place.
  return join(folder, `${sha256OfJson([relative(root, packageRoot), id, engineName])}.json`)
}

function readEntry(file: string): Entry | null {
  const found = lstatSync(file, { throwIfNoEntry: false })
  const user = process.getuid?.()
  if (found?.isFile() !== true || found.size > MOST_BYTES || (user !== undefined && found.uid !== user)) return null
  const [hash = '', body = ''] = (tryReadText(file) ?? '').split('\n')
  const entry = sha256(body) === hash ? tryParseJson(body) : null
  return isEntry(entry) ? (entry as unknown as Entry) : null
}

// The hash tells a whole file from a torn one, not who wrote it. What somebody else wrote may forge a result; it must not
// break a case, nor a terminal that shows the name of its run.
function isEntry(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value) || typeof value['run'] !== 'string' || !RUN.test(value['run'])) return false
  const { result } = value
  if (!isJsonObject(result) || result['outcome'] !== 'passed' || !isPlayed(result['source'])) return false
  const lists = ['runs', 'checks', 'hashes', 'notices'].map((name) => result[name])
  const [runs = []] = lists
  return lists.every(Array.isArray) && (runs as readonly JsonValue[]).every(isJsonObject)
}

// A run folder is removed some day, and another machine has none.
function withEvidence(result: CaseResult, root: string): CaseResult {
  const isThere = (folder: string | null): boolean =>
    folder !== null && OWN_FOLDER.test(folder) && existsSync(join(root, folder))
  const lost = result.runs.some(({ folder }) => folder !== null && !isThere(folder))
  return {
    ...result,
    runs: result.runs.map((one) => (isThere(one.folder) ? one : { ...one, folder: null })),
    notices: lost ? [...result.notices, EVIDENCE_LOST] : result.notices,
  }
}

const OWN_FOLDER = /^\.vitest\/agent-evals\/(?!\.)[^/]+\/cases\/(?!.*(?:^|\/)\.\.(?:\/|$))/
const EVIDENCE_LOST = 'Its transcript is not on this machine any more; --no-cache runs the case again.'
const RUN = /^\d{4}-\d{2}-\d{2}T[\w-]{1,60}$/
const MOST_BYTES = 64 * 1024 * 1024
const MOST_AGE_MS = 7 * 24 * 3_600_000
const CLOCKS_DIFFER_MS = 3_600_000
