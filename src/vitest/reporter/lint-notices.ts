import { failsFile, formatIssue, type Issue } from '../../documents/issue.ts'
import { toPrintableLine } from '../../results/printable.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { PlannedRun } from '../../results/start-run.ts'
import type { LintNotice, PlannedReport } from '../../results/run-plan.ts'
import type { Suite } from '../../suites/suite.ts'

/**
 * What lint finds in a suite file and in the package of its cases, each with its place. Such a notice is about a file:
 * however many cases read it, the report and the terminal have it once.
 */
export function lintNotices(
  { issues }: Pick<Suite, 'issues'>,
  { findings, missingDependencies }: Pick<AgentPackage, 'findings' | 'missingDependencies'>,
  root: string,
): readonly LintNotice[] {
  return [
    ...[...issues.filter(isRemark), ...findings.filter(isOfSomeCases)].map((issue) => ({
      code: issue.code,
      text: formatIssue(issue, root),
    })),
    ...missingDependencies.map((name) => ({
      code: 'missing-dependency',
      text: `The dependency ${name} is not installed; the agent runs without it.`,
    })),
  ]
}

/** A planned report with further notices, each of them once. */
export function addNotices(report: PlannedReport, notices: readonly LintNotice[]): PlannedReport {
  const known = report.notices ?? []
  const added = notices.filter(({ text }) => known.every((one) => one.text !== text))
  return added.length === 0 ? report : { ...report, notices: [...known, ...added] }
}

/** Returns what prints the notices of a plan: each once, in all passes of a watching Vitest. */
export function createNoticePrinter(print: (line: string) => void): (plan: Pick<PlannedRun, 'reports'>) => void {
  const printed = new Set<string>()
  return ({ reports }) => {
    const found = reports.flatMap(({ notices = [] }) => notices).filter(({ code }) => !DEFAULTS.has(code))
    const open = [...new Set(found.map(({ text }) => text))].filter((text) => !printed.has(text))
    for (const text of open) printed.add(text)
    for (const notice of open.slice(0, MOST_NOTICES)) print(`agent-evals: ${toPrintableLine(notice)}`)
    if (open.length > MOST_NOTICES)
      print(`agent-evals: and ${open.length - MOST_NOTICES} more; npx vitest-agent-evals lint lists them all`)
  }
}

const MOST_NOTICES = 10

// What a repository can do without, or no copy ever gets: lint and the report name it, a run does not repeat it.
const DEFAULTS: ReadonlySet<string> = new Set(['no-eval-config', 'usually-left-out'])

// An error of the whole package is the outcome of all its cases.
function isOfSomeCases({ part, severity }: AgentPackage['findings'][number]): boolean {
  return part !== null || severity !== 'error'
}

// An error is the outcome of its cases, and what has no effect is listed apart.
function isRemark(issue: Issue): boolean {
  return !failsFile(issue) && issue.noEffect !== true && issue.skips !== true
}
