import { existsSync, rmSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { isStdoutTaken } from './progress.ts'
import { buildReport } from '../../report/build/build-report.ts'
import { checkBudgets, verdictOf, worstOf } from '../../report/compare/verdicts.ts'
import { formatBudgets, formatComparison } from '../../report/compare/format-comparison.ts'
import { compareWithReport } from '../../report/compare/against.ts'
import { compareRun, withBudgets } from '../../report/compare/compare.ts'
import type { Comparison } from '../../report/compare/comparison-schema.ts'
import { ownReport, type ReadReport } from '../../report/read-report.ts'
import { painter, printBy, wantsColor } from '../../report/summary/terminal.ts'
import { appendJobSummary, commentOn, jobSummaryFile, writeComment } from '../../report/comment/write-comment.ts'
import { foldReports, plannedCases, type FoldedReport } from '../../report/fold/fold.ts'
import { readJournals, type JournalContent } from '../../report/results/read-journal.ts'
import { toPrintableLine } from '../../lib/text.ts'
import { createRedactor } from '../../gateway/redact.ts'
import { endRun, settlePlan, type RunFolder, type RunPlan } from '../../report/results/run-folder.ts'
import { formatGoldenSummary } from '../../report/golden/golden-summary.ts'
import { logGoldenRuns, type GoldenRun } from '../../report/golden/run-log.ts'
import { formatSummary, type SummaryReport } from '../../report/summary/summary.ts'
import { inputOfReports, defaultPagePath, writePage } from '../../report/page/build-page.ts'
import { writeReports, type ReportToWrite, type WrittenReport } from '../../report/write-report.ts'
import { writeSuiteSummaries } from '../../report/results/suite-summaries.ts'
import type { Report } from '../../report/report.ts'
import type { Provenance } from '../../report/results/provenance.ts'
import type { CaseResult, PlannedCase } from '../../report/results/result.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'
import type { Vitest } from 'vitest/node'

/** What is needed to publish the reports of a run. */
export interface PublishRequest extends Pick<
  EvalsReporterOptions,
  'budgets' | 'comment' | 'comparedReport' | 'gate' | 'html' | 'report' | 'runLog' | 'summaryOnly' | 'vitest'
> {
  readonly folder: RunFolder
  /** How the run ended; `left` when the process exits before Vitest has reported an end. */
  readonly ending: 'bailed' | 'finished' | 'interrupted' | 'left'
  /** Cases that a filter left out; they are in no report. */
  readonly filtered: (planned: PlannedCase) => boolean
  readonly provenanceOf: (packageRoot: string) => Provenance
  /** US dollars that the gateway has counted so far. */
  readonly gatewayCostUsd: number
  /** Milliseconds, by a clock that does not jump. */
  readonly durationMs: number
  /** Reports of an earlier pass of a watching Vitest. */
  readonly earlier: readonly WrittenReport[]
  /** Cases of earlier passes that are in no file any more. */
  readonly gone: (planned: PlannedCase) => boolean
  /** What of the option `quarantine` names no case, in one sentence; `null` where all of it does. */
  readonly unmatched: string | null
  /** Adds further lines below the summary. */
  readonly remarks: (results: readonly CaseResult[]) => readonly string[]
}

/**
 * Folds the journals of a run into its reports, writes them and prints the summary.
 *
 * Synchronous, since the last chance for a report may be the exit of the process.
 */
export function publishReports(request: PublishRequest): readonly WrittenReport[] {
  const { folder, vitest } = request
  const { root } = vitest.config
  const folded = fold(request)
  const results = folded.flatMap((one) => one.results)
  // What is read elsewhere is of the package as it is.
  const ofPackage = results.filter(({ arm }) => arm !== 'variant')
  const reports = build(folded, request)
  const written = request.report === false ? [] : write(reports, request)
  writeSuiteSummaries({ root, runFolder: folder.path }, folder.plan.run, ofPackage)
  const golden = request.runLog ? logGoldenRuns({ root, runFolder: folder.path, results: ofPackage }) : []
  const page = request.html === false || request.ending === 'left' ? null : publishPage(reports, request)
  const compared = compare(reports, request)
  if (compared.verdict !== null && compared.verdict !== 'passed') process.exitCode = 1
  endRun(folder.path, {
    status: folded.find((one) => one.status !== 'complete')?.status ?? 'complete',
    reports: written.map(({ path }) => path),
    gatewayCostUsd: request.gatewayCostUsd,
    ...(compared.verdict === null ? {} : { gate: compared.verdict }),
  })

  const say = (level: 'error' | 'log', text: string): void =>
    printBy(vitest.logger, isStdoutTaken(vitest) ? 'error' : level, text)
  const { comment, problem } = publishComment(compared, request)
  const lines = [
    ...formatReports(reports, written, golden, request),
    ...formatCompared(compared, request),
    ...(request.unmatched === null ? [] : [painter()('yellow', `agent-evals: ${toPrintableLine(request.unmatched)}`)]),
    ...request.remarks(results),
  ]
  if (lines.length > 0) say('log', `\n${lines.join('\n')}\n`)
  for (const one of golden) if (one.problem !== null) say('error', `agent-evals: ${one.problem}`)
  if (problem !== null) say('error', `agent-evals: ${problem}`)
  if (page !== null) say('log', `       Page  ${page}`)
  else if (written.length > 0 && ofPackage.some(isRed)) say('log', '    See why  npx vitest-agent-evals view')
  if (comment !== null) say('log', `    Comment  ${comment}`)
  for (const line of keptWorkspaces(results)) say('log', line)
  for (const one of written) if (one.problem !== null) say('error', one.problem.message)
  return written
}

// Keeps the plan without what a filter left out, too.
function fold(request: PublishRequest): readonly FoldedReport[] {
  const { folder, vitest, durationMs, ending, unmatched } = request
  const plan = { ...folder.plan, cases: folder.plan.cases.filter((planned) => !request.filtered(planned)) }
  const journal = readOwnJournals(folder)
  settlePlan(folder, plan.cases)
  return foldReports([{ plan, journal, durationMs }], ending === 'left' ? guessEnding(plan, journal) : ending)
    .map((one) => ({ ...one, results: one.results.filter((result) => !request.gone(result)) }))
    .map((one) => withShard(one, vitest))
    .map((one, index) => (index === 0 && unmatched !== null ? { ...one, notices: [...one.notices, unmatched] } : one))
}

function build(folded: readonly FoldedReport[], request: PublishRequest): readonly ReportToWrite[] {
  const built = folded
    .filter((one) => one.results.length > 0)
    .map((one): ReportToWrite => {
      const { packageRoot, engineName } = one.planned
      return { report: buildReport(one, request.provenanceOf(packageRoot)), packageRoot, engineName }
    })
  return withEarlier(built, request)
}

/** What a run is compared with, and held to. */
interface Compared {
  /** The reports as a reader has them; none where nobody reads them. */
  readonly read: readonly ReadReport[]
  readonly budgets: ReturnType<typeof checkBudgets>
  /** With the budgets; `null` where there is neither a gate nor a budget. */
  readonly comparison: Comparison | null
  /** Whether there was anything to compare with. */
  readonly isCompared: boolean
  readonly verdict: ReturnType<typeof worstOf>
  /** The file for the summary of a CI job; `null` without one. */
  readonly summaryFile: string | null
}

function compare(reports: readonly ReportToWrite[], request: PublishRequest): Compared {
  const { budgets: limits, comment, comparedReport, gate, vitest } = request
  const summaryFile = vitest.config.watch ? null : jobSummaryFile(process.env)
  const isRead = comment !== null || summaryFile !== null || gate !== null || Object.keys(limits ?? {}).length > 0
  // Reading a report of many cases takes longer than writing it.
  const read = isRead ? reports.map(({ report }) => ownReport(report)) : []
  const [first] = read
  const budgets = first === undefined ? [] : checkBudgets(read, limits ?? {})
  const compared = gate === null ? null : compareRun(read, comparedReport)
  const isTold = first !== undefined && (compared !== null || budgets.length > 0)
  return {
    read,
    budgets,
    comparison: isTold ? withBudgets(compared, budgets, first) : null,
    isCompared: compared !== null,
    verdict: worstOf([gate?.fails === true ? (compared?.verdict ?? null) : null, verdictOf(budgets)]),
    summaryFile,
  }
}

function formatReports(
  reports: readonly ReportToWrite[],
  written: readonly WrittenReport[],
  golden: readonly GoldenRun[],
  request: PublishRequest,
): readonly string[] {
  const { root } = request.vitest.config
  const shown = reports.map(({ report }, index): SummaryReport => {
    const path = written[index]?.path
    return { report, path: path === undefined ? null : relative(root, path) }
  })
  const blocks = reports.flatMap(({ report, packageRoot }) => formatGolden(report, packageRoot, golden, request))
  const isSummarized = request.summaryOnly && blocks.length > 0
  return isSummarized ? blocks : [...blocks, ...formatSummary(shown, { color: wantsColor() })]
}

function formatCompared({ budgets, comparison, isCompared }: Compared, { gate }: PublishRequest): readonly string[] {
  const paint = painter()
  const lines =
    gate !== null && comparison !== null && isCompared
      ? formatComparison(comparison, { paint, paths: [gate.ref, 'now'], decides: gate.fails })
      : formatBudgets(budgets, paint)
  return lines.length === 0 ? [] : ['', ...lines]
}

function isRed({ arm, outcome }: CaseResult): boolean {
  return arm === undefined && (outcome === 'failed' || outcome === 'errored')
}

function withEarlier(
  reports: readonly ReportToWrite[],
  { comparedReport, gate }: Pick<PublishRequest, 'comparedReport' | 'gate'>,
): readonly ReportToWrite[] {
  if (comparedReport === null || gate === null) return reports
  const read = reports.map(({ report }) => ownReport(report))
  const against = compareWithReport(comparedReport, gate.ref, read)
  return reports.map((one, index) => {
    const found = against[index]
    return found === undefined ? one : { ...one, report: { ...one.report, against: found } }
  })
}

function keptWorkspaces(results: readonly CaseResult[]): readonly string[] {
  const kept = results.flatMap(({ name, runs }) =>
    runs.flatMap(({ internal: { workspace } }) =>
      workspace === undefined ? [] : [`${workspace}  ${toPrintableLine(name)}`],
    ),
  )
  const more = kept.length > MOST_WORKSPACES ? [`and ${kept.length - MOST_WORKSPACES} more beside these`] : []
  return [...kept.slice(0, MOST_WORKSPACES), ...more].map(
    (text, index) => `${(index === 0 ? 'Workspaces' : '').padStart(11)}  ${text}`,
  )
}

const MOST_WORKSPACES = 10

// Vitest cuts its own shards by file, and from version 5 on says nothing of the files of the others.
function withShard(folded: FoldedReport, { config }: Vitest): FoldedReport {
  const { shard } = config
  if (shard === undefined || shard.count < 2) return folded
  const notice = `Only part ${shard.index} of ${shard.count} of the files ran (--shard).`
  const status = folded.status === 'complete' ? 'partial' : folded.status
  return { ...folded, status, notices: [...folded.notices, notice] }
}

function formatGolden(
  report: Report,
  packageRoot: string,
  golden: readonly GoldenRun[],
  { summaryOnly }: Pick<PublishRequest, 'summaryOnly'>,
): readonly string[] {
  const run = golden.find((one) => one.packageRoot === packageRoot)
  const sample = run === undefined || run.audit.sampled.length === 0 ? null : run.audit
  const audit = sample === null ? null : { sampled: sample.sampled.length, decisions: sample.decisions }
  const lines = formatGoldenSummary({
    report,
    packageRoot,
    log: run?.file ?? null,
    audit,
    summaryOnly,
  })
  return lines.length === 0 ? [] : [...lines, '']
}

// A page that cannot be written does not keep the report from being written.
function publishPage(reports: readonly ReportToWrite[], { folder, html, vitest }: PublishRequest): string | null {
  const file = typeof html === 'string' ? html : defaultPagePath(folder.path)
  if (reports.length === 0) return null
  try {
    const source = inputOfReports(
      reports.map(({ report }) => report),
      [dirname(folder.path)],
    )
    writePage(source, file)
    // From where the command was typed, so that the path can be opened as it is.
    return relative(process.cwd(), file)
  } catch (error) {
    printBy(vitest.logger, 'error', `agent-evals: no page was written: ${messageOf(error)}`)
    process.exitCode = 1
    return null
  }
}

// Writes the comment for a pull request, and the same as the summary of a CI job. As for a page.
function publishComment(
  { comparison, read, summaryFile }: Compared,
  { comment: file, gate, vitest }: PublishRequest,
): { readonly comment: string | null; readonly problem: string | null } {
  if (read.length === 0 || (file === null && summaryFile === null)) return { comment: null, problem: null }
  const told = { reports: read, comparison, decides: gate?.fails === true }
  const text = commentOn(told, process.env, vitest.config.root)
  const problem = summaryFile === null ? null : appendJobSummary(summaryFile, text)
  if (file === null) return { comment: null, problem }
  try {
    writeComment(file, text)
    return { comment: relative(process.cwd(), file), problem }
  } catch (error) {
    printBy(vitest.logger, 'error', `agent-evals: no comment was written: ${messageOf(error)}`)
    process.exitCode = 1
    return { comment: null, problem }
  }
}

function readOwnJournals({ path }: RunFolder): JournalContent {
  if (existsSync(path)) return readJournals(path)
  throw new AgentEvalsError(
    'report-unwritable',
    `The results of this run are lost: its folder ${path} was removed while it ran. Run again, and keep the folder until the end.`,
  )
}

// Another reporter that throws, or a closed terminal, takes nothing away from a run whose cases have all ended.
function guessEnding(plan: RunPlan, journal: JournalContent): 'finished' | 'interrupted' {
  const ended = new Set(journal.entries.flatMap((entry) => (entry.kind === 'case-end' ? [nameOf(entry.result)] : [])))
  return plannedCases(plan, journal).every((planned) => ended.has(nameOf(planned))) ? 'finished' : 'interrupted'
}

function nameOf({ packageRoot, engineName, id }: Pick<PlannedCase, 'engineName' | 'id' | 'packageRoot'>): string {
  return [packageRoot, engineName, id].join('\0')
}

// A pass of a watching Vitest whose package has no case any more leaves no report, as a new run would.
function removeEmptied(reports: readonly ReportToWrite[], earlier: readonly WrittenReport[]): void {
  const isStill = ({ packageRoot, engineName }: WrittenReport): boolean =>
    reports.some((one) => one.packageRoot === packageRoot && one.engineName === engineName)
  for (const one of earlier) if (!isStill(one)) rmSync(one.path, { force: true })
}

function write(
  reports: readonly ReportToWrite[],
  { folder, report, earlier }: PublishRequest,
): readonly WrittenReport[] {
  const redactor = createRedactor(process.env)
  const path = typeof report === 'string' ? report : undefined
  removeEmptied(reports, earlier)
  return writeReports(reports, { runFolder: folder.path, redactor, path, rewrite: earlier })
}
