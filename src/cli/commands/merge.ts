import { dirname, relative, resolve } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { appendJobSummary, commentOn, jobSummaryFile, writeComment } from '../../report/comment/write-comment.ts'
import { compareRun } from '../../report/compare/compare.ts'
import { ownReport } from '../../report/read-report.ts'
import { mergeRuns } from '../../report/fold/other-runs.ts'
import { inputOfReports, writePage } from '../../report/page/build-page.ts'
import { createRedactor } from '../../gateway/redact.ts'
import { formatSummary } from '../../report/summary/summary.ts'
import { findReportProblem, writeReports } from '../../report/write-report.ts'
import { findRunFolders } from '../../report/results/past-runs.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { painter, print, printError, wantsColor } from '../../report/summary/terminal.ts'
import { plural } from '../../lib/text.ts'
import type { Report } from '../../report/report.ts'
import { isDecided } from '../../report/results/result.ts'
import type { RunFolder } from '../../report/results/run-folder.ts'

const FLAGS = {
  output: {
    type: 'string',
    short: 'o',
    value: 'FILE',
    help: 'the report; further packages and engines get files beside it',
  },
  html: {
    type: 'string',
    value: 'FILE',
    help: 'also write the report as one HTML page, with the transcripts of all runs',
  },
  comment: { type: 'string', value: 'FILE', help: 'also write a comment for the pull request, in Markdown' },
} as const

/** `agent-evals merge DIR... -o FILE`: the runs of several machines as one report. */
export const merge: Command = {
  name: 'merge',
  usage: 'FOLDER... -o FILE',
  details: [
    'A folder is one of .vitest/agent-evals, or one that contains such folders, as the artifacts of CI jobs do.',
    '',
    ...flagHelp(FLAGS),
    '',
    'Exit code: 1 when a case failed that is not in quarantine; else 2 when one is errored, a shard is missing or nothing ran.',
    'Gates and budgets of the shards decide nothing here: test the merged report with npx vitest-agent-evals gate.',
  ],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    if (positionals.length === 0) throw new AgentEvalsError('invalid-options', 'Name the folders to merge.')
    if (values.output === undefined) throw new AgentEvalsError('invalid-options', 'Missing output file. Use -o FILE.')
    const path = resolve(values.output)
    const problem = findReportProblem(path)
    if (problem !== null) throw problem

    const folders = once(positionals.flatMap((folder) => findRunFolders(resolve(folder))))
    const { reports, missing } = mergeRuns(folders)
    if (reports.length === 0) throw new AgentEvalsError('no-match', `${plural(folders.length, 'run')} without a case.`)
    const written = writeReports(reports, { runFolder: dirname(path), redactor: createRedactor(process.env), path })

    const merged = reports.map(({ report }) => report)
    if (values.html !== undefined) {
      const places = folders.map((folder) => dirname(folder.path))
      writePage(inputOfReports(merged, [...new Set(places)]), resolve(values.html))
    }
    const summaryFile = jobSummaryFile(process.env)
    const comment = values.comment === undefined && summaryFile === null ? null : commentOnMerged(merged)
    if (values.comment !== undefined && comment !== null) writeComment(resolve(values.comment), comment)

    const shown = reports.map(({ report }, index) => ({ report, path: relative('.', written[index]?.path ?? path) }))
    const files = [...lineOf('Page', values.html), ...lineOf('Comment', values.comment)]
    print([...formatSummary(shown, { color: wantsColor() }), `${'Runs'.padStart(11)}  ${folders.length}`, ...files])
    const summaryProblem = summaryFile === null || comment === null ? null : appendJobSummary(summaryFile, comment)
    if (summaryProblem !== null) printError(`agent-evals merge: ${summaryProblem}`)
    if (missing !== null) printError(`\n${painter(process.stderr)('red', 'agent-evals merge:')} ${missing.remark}`)
    return exitCodeOf(merged)
  },
}

function commentOnMerged(merged: readonly Report[]): string {
  const reports = merged.map((report) => ownReport(report))
  const told = { reports, comparison: compareRun(reports, null), decides: false }
  return commentOn(told, process.env, process.cwd())
}

function lineOf(label: string, file: string | undefined): readonly string[] {
  return file === undefined ? [] : [`${label.padStart(11)}  ${relative('.', resolve(file))}`]
}

// A folder and one inside it may both have been named.
function once(folders: readonly RunFolder[]): readonly RunFolder[] {
  return [...new Map(folders.map((folder) => [folder.path, folder])).values()]
}

/** 1 when a case failed, else 2 when one is unknown or nothing was proven. */
export function exitCodeOf(reports: readonly Report[]): number {
  const all = reports.flatMap((report) => report.cases)
  // What ran without its skill is there for comparison: it decides only where there is nothing else.
  const counted = all.filter(({ arm }) => arm === null)
  const gating = counted.filter(({ quarantined }) => quarantined === undefined)
  const cases = counted.length === 0 ? all.filter(({ outcome }) => outcome === 'passed') : gating
  if (cases.some(({ outcome }) => outcome === 'failed')) return 1
  const isWhole = reports.every(({ status }) => status === 'complete')
  const proves = [...cases, ...counted].some(isDecided)
  return isWhole && proves && !cases.some(({ outcome }) => outcome === 'errored') ? 0 : 2
}
