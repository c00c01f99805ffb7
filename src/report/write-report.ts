import { accessSync, constants, lstatSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { AgentEvalsError, messageOf } from '../lib/errors.ts'
import { makeFolders } from './results/start-run.ts'
import { codeOf, createFile, linkOnTheWay, replaceFile } from '../lib/files.ts'
import { toPathSegment } from '../formats/paths.ts'
import type { Redactor } from '../gateway/redact.ts'
import type { Report } from './report.ts'

/** A report and its place. */
export interface ReportToWrite {
  readonly report: Report
  /** Absolute path of the package. */
  readonly packageRoot: string
  readonly engineName: string
}

/** How reports are written. */
export interface WriteReportOptions {
  /** Absolute path of the run folder: takes a report that its own place refuses. */
  readonly runFolder: string
  readonly redactor: Redactor
  /** A path asked for, instead of `evals/reports/`: it is replaced, and further reports are written beside it. */
  readonly path?: string | undefined
  /** Paths of an earlier pass of a watching Vitest, which are written again. */
  readonly rewrite?: readonly WrittenReport[] | undefined
}

/** Where a report was written. */
export interface WrittenReport {
  readonly packageRoot: string
  readonly engineName: string
  /** Absolute path. */
  readonly path: string
  /** Why it is in the run folder; `null` when it is in its place. */
  readonly problem: AgentEvalsError | null
}

/** Writes every report of a run. Each is whole or not there, and none overwrites a report of another run. */
export function writeReports(reports: readonly ReportToWrite[], options: WriteReportOptions): readonly WrittenReport[] {
  const taken = new Map<string, string>()
  return reports.map((report) => {
    const path = choosePath(report, options, taken)
    taken.set(path, report.packageRoot)
    return writeReport(report, path, options)
  })
}

/** Why a path cannot take a report; `null` when it can. Checked before a run, so that no money is spent on a report that is lost. */
export function findReportProblem(path: string): AgentEvalsError | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() === true) return unwritable(path, 'it is a symbolic link')
    if (found !== undefined && !found.isFile())
      return unwritable(path, found.isDirectory() ? 'it is a folder' : 'it is not a regular file')
    makeFolders(dirname(path))
    accessSync(dirname(path), constants.W_OK)
    if (found !== undefined) accessSync(path, constants.W_OK)
    return null
  } catch (error) {
    return unwritable(path, describe(error), error)
  }
}

/** The first place a report is written to, before it is known whether the name is taken. */
export function defaultReportPath(report: Report, packageRoot: string): string {
  return join(packageRoot, 'evals', 'reports', `${report.timestamp.replaceAll(/[^\dTZ-]/g, '-')}.json`)
}

// The first has the plain name. Beside a path that was asked for lie those of other packages too, and each of these
// says whose it is; further engines carry theirs; what shares even that is counted.
function choosePath(one: ReportToWrite, options: WriteReportOptions, taken: ReadonlyMap<string, string>): string {
  const { report, packageRoot, engineName } = one
  const plain = options.path === undefined ? defaultReportPath(report, packageRoot) : resolve(options.path)
  const owner = taken.get(plain)
  if (owner === undefined) return plain
  const ofPackage = owner === packageRoot ? plain : withEnding(plain, `.${nameOfPackage(one)}`)
  if (taken.get(ofPackage) === undefined) return ofPackage
  const named = withEnding(ofPackage, `.${toPathSegment(engineName)}`)
  for (let n = 1; ; n++) {
    const path = n === 1 ? named : withEnding(named, `-${n}`)
    if (!taken.has(path)) return path
  }
}

// As a person would type it: `@acme/tools` is `acme-tools`.
function nameOfPackage({ report, packageRoot }: ReportToWrite): string {
  const words = (report.package.name ?? basename(packageRoot)).match(/[\w.-]+/g) ?? []
  return words.join('-') || 'package'
}

function writeReport(
  { report, packageRoot, engineName }: ReportToWrite,
  path: string,
  options: WriteReportOptions,
): WrittenReport {
  const text = `${JSON.stringify(options.redactor.values(report), null, 2)}\n`
  const earlier = options.rewrite?.find(
    (written) => written.packageRoot === packageRoot && written.engineName === engineName,
  )
  // A path that was asked for is the user's own.
  const link = options.path === undefined ? linkOnTheWay(packageRoot, dirname(path)) : null
  const attempt =
    link === null
      ? tryWrite(text, earlier?.path ?? path, earlier !== undefined || options.path !== undefined)
      : unwritable(path, `${link} is a symbolic link`)
  if (typeof attempt === 'string') return { packageRoot, engineName, path: attempt, problem: earlier?.problem ?? null }

  const fallback = tryWrite(text, join(options.runFolder, basename(path)), false)
  if (typeof fallback !== 'string') throw fallback
  return { packageRoot, engineName, path: fallback, problem: attempt }
}

function tryWrite(text: string, path: string, mayReplace: boolean): string | AgentEvalsError {
  const problem = mayReplace ? findReportProblem(path) : null
  if (problem !== null) return problem
  try {
    if (mayReplace) {
      replaceFile(path, text)
      return path
    }
    makeFolders(dirname(path))
    // Something that has the name already is left alone: the report takes the next one.
    for (let n = 1; ; n++) {
      const free = n === 1 ? path : withEnding(path, `-${n}`)
      if (createFile(free, text)) return free
    }
  } catch (error) {
    return unwritable(path, describe(error), error)
  }
}

function withEnding(path: string, ending: string): string {
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}${ending}${extension}`
}

function unwritable(path: string, reason: string, cause?: unknown): AgentEvalsError {
  const message = `Cannot write the report to ${path}: ${reason}. Set another path with the option \`report\`, or make this one writable.`
  return new AgentEvalsError('report-unwritable', message, cause === undefined ? {} : { cause })
}

function describe(error: unknown): string {
  return REASONS[codeOf(error)] ?? messageOf(error)
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'it is not writable',
  EEXIST: 'a part of the path is not a folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'it is not writable',
  EROFS: 'the file system is read-only',
}
