import { existsSync, rmSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { styleText } from 'node:util'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { isStdoutTaken } from './progress.ts'
import { buildReport } from '../../report/build/build-report.ts'
import { checkBudgets, verdictOf, worstOf } from '../../report/compare/verdicts.ts'
import { formatBudgets, formatComparison } from '../../report/compare/format-comparison.ts'
import { compareWithReport } from '../../report/compare/against.ts'
import { compareRun, withBudgets } from '../../report/compare/compare.ts'
import { ownReport } from '../../report/read-report.ts'
import { printBy, type Paint } from '../../report/summary/terminal.ts'
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
  const { folder, vitest, durationMs, provenanceOf, ending } = request
  const plan = { ...folder.plan, cases: folder.plan.cases.filter((planned) => !request.filtered(planned)) }
  const journal = readOwnJournals(folder)
  const unmatched = request.unmatched === null ? [] : [request.unmatched]
  const folded = foldReports([{ plan, journal, durationMs }], ending === 'left' ? guessEnding(plan, journal) : ending)
    .map((one) => ({ ...one, results: one.results.filter((result) => !request.gone(result)) }))
    .map((one) => withShard(one, vitest))
    .map((one, index) => (index === 0 ? { ...one, notices: [...one.notices, ...unmatched] } : one))
  const results = folded.flatMap((one) => one.results)
  // What is read elsewhere is of the package as it is.
  const ofPackage = results.filter(({ arm }) => arm !== 'variant')

  const built = folded
    .filter((one) => one.results.length > 0)
    .map((one): ReportToWrite => {
      const { packageRoot, engineName } = one.planned
      return { report: buildReport(one, provenanceOf(packageRoot)), packageRoot, engineName }
    })
  const reports = withEarlier(built, request)
  const written = request.report === false ? [] : write(reports, request)
  const { root } = vitest.config
  const target = { root, runFolder: folder.path }
  writeSuiteSummaries(target, folder.plan.run, ofPackage)
  const golden = request.runLog ? logGoldenRuns({ ...target, results: ofPackage }) : []
  const page = request.html === false || ending === 'left' ? null : publishPage(reports, request)
  settlePlan(folder, plan.cases)
  const status = folded.find((one) => one.status !== 'complete')?.status ?? 'complete'
  // Reading a report of many cases takes longer than writing it.
  const summaryFile = vitest.config.watch ? null : jobSummaryFile(process.env)
  const isTold = request.comment !== null || summaryFile !== null
  const isRead = isTold || request.gate !== null || Object.keys(request.budgets ?? {}).length > 0
  const read = isRead ? reports.map(({ report }) => ownReport(report)) : []
  const budgets = read.length === 0 ? [] : checkBudgets(read, request.budgets ?? {})
  const gate = request.gate === null ? null : compareRun(read, request.comparedReport)
  const verdict = worstOf([request.gate?.fails === true ? (gate?.verdict ?? null) : null, verdictOf(budgets)])
  if (verdict !== null && verdict !== 'passed') process.exitCode = 1
  endRun(folder.path, {
    status,
    reports: written.map(({ path }) => path),
    gatewayCostUsd: request.gatewayCostUsd,
    ...(verdict === null ? {} : { gate: verdict }),
  })

  const [first] = read
  const whole =
    first === undefined || (gate === null && budgets.length === 0) ? null : withBudgets(gate, budgets, first)
  const told = {
    reports: read,
    comparison: whole,
    decides: request.gate?.fails === true,
  }
  const markdown = isTold && first !== undefined ? commentOn(told, process.env, root) : null
  const comment =
    request.comment === null || markdown === null ? null : publishComment(request.comment, markdown, vitest)
  const shown = reports.map(({ report }, index): SummaryReport => {
    const path = written[index]?.path
    return { report, path: path === undefined ? null : relative(root, path) }
  })
  const blocks = reports.flatMap(({ report, packageRoot }) => formatGolden(report, packageRoot, golden, request))
  const isSummarized = request.summaryOnly && blocks.length > 0
  const usual = isSummarized ? [] : formatSummary(shown, { color: process.stdout.isTTY && !process.env['NO_COLOR'] })
  const color = process.stdout.isTTY && !process.env['NO_COLOR']
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text)
  const gates =
    gate === null || whole === null
      ? formatBudgets(budgets, paint)
      : formatComparison(whole, { paint, paths: [request.gate?.ref ?? '', 'now'], decides: told.decides })
  const compared = gates.length === 0 ? [] : ['', ...gates]
  const warned = unmatched.map((text) => paint('yellow', `agent-evals: ${toPrintableLine(text)}`))
  const lines = [...blocks, ...usual, ...compared, ...warned, ...request.remarks(results)]
  if (lines.length > 0) printer(vitest)(`\n${lines.join('\n')}\n`)
  for (const { problem } of golden) if (problem !== null) printBy(vitest.logger, 'error', `agent-evals: ${problem}`)
  const summaryProblem = summaryFile === null || markdown === null ? null : appendJobSummary(summaryFile, markdown)
  if (summaryProblem !== null) printBy(vitest.logger, 'error', `agent-evals: ${summaryProblem}`)
  if (page !== null) printer(vitest)(`       Page  ${page}`)
  else if (written.length > 0 && ofPackage.some(isRed)) printer(vitest)('    See why  npx vitest-agent-evals view')
  if (comment !== null) printer(vitest)(`    Comment  ${comment}`)
  for (const line of keptWorkspaces(results)) printer(vitest)(line)
  for (const { problem } of written) if (problem !== null) printBy(vitest.logger, 'error', problem.message)
  return written
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

// As for a page.
function publishComment(file: string, text: string, vitest: Vitest): string | null {
  try {
    writeComment(file, text)
    return relative(process.cwd(), file)
  } catch (error) {
    printBy(vitest.logger, 'error', `agent-evals: no comment was written: ${messageOf(error)}`)
    process.exitCode = 1
    return null
  }
}

function printer(vitest: Vitest): (text: string) => void {
  return (text) => printBy(vitest.logger, isStdoutTaken(vitest) ? 'error' : 'log', text)
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
