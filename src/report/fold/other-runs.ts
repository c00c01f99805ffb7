import { z } from 'zod'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { isJsonObject } from '../../lib/json.ts'
import { compareTexts } from '../../lib/text.ts'
import { buildReport } from '../build/build-report.ts'
import type { CaseResult } from '../results/result.ts'
import { knownProvenance, type Provenance } from '../results/provenance.ts'
import { readJournals } from '../results/read-journal.ts'
import {
  PLAN,
  provenanceOf,
  readRunEnd,
  type RunFolder,
  type RunPlan,
  claimLostRun,
  endRun,
} from '../results/run-folder.ts'
import { type ReportToWrite, writeReports, type WrittenReport } from '../write-report.ts'
import { endingOf, foldReports, type Ending, type StoredRun, type FoldedReport } from './fold.ts'
import { join, resolve } from 'node:path'
import type { Redactor } from '../../gateway/redact.ts'
import { formatZodIssue } from '../../lib/documents/validate.ts'
import { foldersUpwards } from '../../lib/files.ts'
import { logGoldenRuns } from '../golden/run-log.ts'
import { findLostRuns } from '../results/past-runs.ts'

const MOST_SHARDS = 10_000

/** The runs of several machines as one. */
interface MergedRuns {
  readonly reports: readonly ReportToWrite[]
  readonly results: readonly CaseResult[]
  /** Shards that are not among the runs; `null` when none is, or the run was not cut. */
  readonly missing: MissingShards | null
}

/**
 * Folds the run folders of several machines into the reports of one run: the same fold that ends a run on one.
 *
 * @throws {AgentEvalsError} `invalid-options` when the folders are shards of different cuts, `invalid-report` for a folder
 * that is damaged.
 */
export function mergeRuns(folders: readonly RunFolder[]): MergedRuns {
  try {
    const ends = folders.map(({ path }) => readRunEnd(path))
    return mergeFolders(folders, endingOf(ends), describeUnended(folders))
  } catch (error) {
    if (error instanceof AgentEvalsError) throw error
    const paths = folders.map(({ path }) => path).join(', ')
    throw new AgentEvalsError('invalid-report', `Cannot merge ${paths}: ${messageOf(error)}`, { cause: error })
  }
}

function mergeFolders(
  folders: readonly RunFolder[],
  ending: Ending,
  remarksOnEnds: readonly string[] = [],
): MergedRuns {
  const ordered = folders.toSorted(
    (a, b) => compareTexts(a.plan.startedAt, b.plan.startedAt) || compareTexts(a.path, b.path),
  )
  ordered.forEach(requirePlan)
  const missing = findMissingShards(ordered.map(({ plan }) => plan))
  const runs = ordered.map(({ path, plan }): StoredRun => ({ plan, journal: readJournals(path) }))
  const remarks = [...(missing === null ? [] : [missing.remark]), ...remarksOnEnds]
  const folded = foldReports(runs, ending)

  const reports = folded
    .filter(({ results }) => results.length > 0)
    .map((one): ReportToWrite => {
      const { provenance, remark } = mergeProvenance(ordered.flatMap((folder) => provenancesOf(folder, one)))
      const complete = missing === null ? one : { ...one, status: one.status === 'complete' ? 'partial' : one.status }
      const notices = [...one.notices, ...remarks, ...(remark === null ? [] : [remark])]
      return {
        report: buildReport({ ...complete, notices }, provenance),
        packageRoot: one.planned.packageRoot,
        engineName: one.planned.engineName,
      }
    })
  return { reports, results: folded.flatMap((one) => one.results), missing }
}

const text = z.string()
const caseSchema = z.looseObject({
  id: text,
  name: text,
  suite: text,
  format: text,
  file: text,
  at: z.looseObject({ line: z.number(), column: z.number() }),
  tags: z.array(text),
  packageRoot: text,
  engineName: text,
})
/** The fields of a plan that a merge relies on. */
const planSchema = z.looseObject({
  run: text,
  startedAt: z.iso.datetime(),
  rounds: z.array(text),
  root: text,
  cases: z.array(caseSchema),
  files: z.array(caseSchema),
  reports: z.array(z.looseObject({ packageRoot: text, engineName: text, notices: z.array(z.unknown()).optional() })),
  options: z.looseObject({
    shard: z.looseObject({ index: z.int().positive(), count: z.int().max(MOST_SHARDS) }).nullish(),
  }),
  versions: z.looseObject({ agentEvals: text.nullable(), vitest: text.nullable(), node: text }),
})

// A folder may be the artifact of any job.
function requirePlan(folder: RunFolder): void {
  const [issue] = planSchema.safeParse(folder.plan, { error: formatZodIssue }).error?.issues ?? []
  if (issue === undefined) return
  const where = `${join(folder.path, PLAN)}: ${issue.path.join('.')}`
  throw new AgentEvalsError('invalid-report', `${where}: ${issue.message}`)
}

// A machine that had no case of a package has nothing to say of it.
function provenancesOf(folder: RunFolder, { planned, results }: FoldedReport): readonly Provenance[] {
  const report = folder.plan.reports.find(
    ({ packageRoot, engineName }) =>
      engineName === planned.engineName &&
      results.some((result) => result.packageRoot === packageRoot && result.engineName === engineName),
  )
  if (report === undefined) return []
  return [provenanceOf(folder, report.packageRoot)]
}

function describeUnended(folders: readonly RunFolder[]): readonly string[] {
  const unended = folders.filter(({ path }) => readRunEnd(path) === null)
  return unended.map(
    ({ plan }) => `The run ${plan.run} has not ended, or was killed; its finished cases are in the report.`,
  )
}

/** What several machines have in common, and what of it a reader must know. */
interface MergedProvenance {
  readonly provenance: Provenance
  readonly remark: string | null
}

/** Puts the provenance of several machines together. Where they differ all are named; of two revisions none is *the* one. */
export function mergeProvenance(all: readonly Provenance[]): MergedProvenance {
  const named = (read: (one: Provenance) => string | null): string | null => {
    const values = [...new Set(all.map(read).filter((value) => value !== null))]
    return values.length === 0 ? null : values.toSorted().join(', ')
  }
  const commits = new Set(all.flatMap(({ git }) => git?.commit ?? []))
  const [git = null] = all.flatMap((one) => one.git ?? [])
  return {
    provenance: {
      ...(all[0] ?? knownProvenance(null)),
      os: named(({ os }) => os) ?? '',
      arch: named(({ arch }) => arch) ?? '',
      nodeVersion: named(({ nodeVersion }) => nodeVersion) ?? '',
      pythonVersion: named(({ pythonVersion }) => pythonVersion),
      agentEvalsVersion: named(({ agentEvalsVersion }) => agentEvalsVersion),
      vitestVersion: named(({ vitestVersion }) => vitestVersion),
      git:
        git === null || commits.size > 1
          ? null
          : { commit: git.commit, dirty: all.some((one) => one.git?.dirty === true) },
    },
    remark: commits.size > 1 ? `The machines ran different revisions: ${[...commits].toSorted().join(', ')}.` : null,
  }
}

/** Shards without which a run is not whole. */
interface MissingShards {
  /** Such as `2/4`. */
  readonly shards: readonly string[]
  /** One sentence for the report. */
  readonly remark: string
}

/**
 * Finds the shards of a cut that are not among the runs: a machine that was lost must not look like fewer cases.
 *
 * @throws {AgentEvalsError} `invalid-options` when runs of different cuts or of different cases are mixed.
 */
export function findMissingShards(plans: readonly PlanOfRun[]): MissingShards | null {
  const shards = plans.map(({ options }) => shardOf(options['shard']))
  const cut = shards.filter((shard) => shard !== null)
  const counts = new Set(cut.map(({ count }) => count))
  if (counts.size > 1 || (cut.length > 0 && cut.length < shards.length)) {
    const descriptions = plans.map(({ run }, index) => `${run} is ${describe(shards[index] ?? null)}`)
    throw new AgentEvalsError('invalid-options', `These runs are not parts of one run: ${descriptions.join(', ')}.`)
  }
  if (cut.length > 0) {
    requireSame(
      'cases',
      plans.map(({ run, plan = 'unknown' }) => [run, plan]),
    )
    requireSame(
      'test files',
      plans.map(({ run, dealtFiles = 'unknown' }) => [run, dealtFiles]),
    )
  }

  const count = cut[0]?.count ?? 0
  const found = new Set(cut.map(({ index }) => index))
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter((index) => !found.has(index))
  if (missing.length === 0) return null
  const names = missing.map((index) => `${index}/${count}`)
  return { shards: names, remark: remarkOf(names) }
}

type PlanOfRun = Pick<RunPlan, 'dealtFiles' | 'options' | 'plan' | 'run'>

function requireSame(what: string, hashes: readonly (readonly [run: string, hash: string])[]): void {
  if (new Set(hashes.map(([, hash]) => hash)).size === 1) return
  const runs = hashes.map(([run, hash]) => `${run} has ${hash.slice(0, 12)}`).join(', ')
  throw new AgentEvalsError(
    'invalid-options',
    `The shards planned different ${what}, so these runs are not parts of one run: ${runs}. Start each shard with the same filters and options, on the same commit.`,
  )
}

function remarkOf(shards: readonly string[]): string {
  const [shard] = shards
  return shards.length === 1
    ? `The shard ${shard} of this run is missing; its cases are not in the report.`
    : `The shards ${shards.join(', ')} of this run are missing; their cases are not in the report.`
}

interface PlannedShard {
  readonly index: number
  readonly count: number
}

function shardOf(value: unknown): PlannedShard | null {
  if (!isJsonObject(value)) return null
  const { index, count } = value
  return typeof index === 'number' && typeof count === 'number' ? { index, count } : null
}

function describe(shard: PlannedShard | null): string {
  return shard === null ? 'a whole run' : `shard ${shard.index}/${shard.count}`
}

/** A run that was lost, and the reports that say what it had finished. */
interface RecoveredRun {
  /** Absolute path of the run folder. */
  readonly path: string
  /** None where nothing had ended. */
  readonly written: readonly WrittenReport[]
  /** Why there are none; `null` when nothing is wrong. It must not keep a new run from starting. */
  readonly problem: string | null
}

/** Merges each run that was killed before it could write its reports. Call it before a new run starts. */
export function recoverRuns(root: string, redactor: Redactor): readonly RecoveredRun[] {
  return findLostRuns(root).flatMap((folder) => {
    try {
      return claimLostRun(folder.path) ? recoverRun(folder, redactor) : []
    } catch (error) {
      return [{ path: folder.path, written: [], problem: messageOf(error) }]
    }
  })
}

function recoverRun(folder: RunFolder, redactor: Redactor): RecoveredRun {
  const { path, plan } = folder
  const { reports: all, results } = mergeFolders([folder], 'recovered')
  // A run that was stopped before anything ended has nothing to tell.
  const hasResult = readJournals(path).entries.some(({ kind }) => kind !== 'case-start')
  const reports = hasResult ? all : []
  // Where none was wanted in the package, it still must not be lost. A path that was asked for is the new run's.
  // Neither is one written outside of the root because a journal says so.
  const isWithin = (packageRoot: string): boolean => foldersUpwards(resolve(packageRoot)).includes(resolve(plan.root))
  const isHome = plan.options['report'] !== false && reports.every(({ packageRoot }) => isWithin(packageRoot))
  const place = isHome ? {} : { path: join(path, 'report.json') }
  const written = writeReports(reports, { runFolder: path, redactor, ...place })
  if (plan.options['runLog'] !== false)
    logGoldenRuns({
      results: results.filter(({ packageRoot }) => isWithin(packageRoot)),
      root: plan.root,
      runFolder: path,
    })
  endRun(path, { status: 'recovered', reports: written.map((report) => report.path) })
  return { path, written, problem: null }
}
