import { basename } from 'node:path'
import { homeFolder } from '../../lib/files.ts'
import { percent } from '../../lib/rates.ts'
import { compareTexts, shorten, toPrintableLine } from '../../lib/text.ts'
import { addCosts, describeCost } from '../../gateway/budget/spending.ts'
import { hasExtra } from '../../formats/registry.ts'
import { testIdOf, toLocalTime } from './run-log-line.ts'
import { passedOverIn } from '../../judges/judgement.ts'
import { sum } from '../../lib/lists.ts'
import type { Report, ReportCase } from '../report.ts'
import { countOutcomes, describeOutcomes, isDecided } from '../results/result.ts'

/** The summary of the golden tests of one agent. */
export interface GoldenSummary {
  readonly report: Report
  /** Absolute path of the agent's folder. */
  readonly packageRoot: string
  /** Absolute path of the log; `null` when none was written. */
  readonly log: string | null
  /** Decisions of the judge, and how many of them a person is to look at. */
  readonly audit: { readonly sampled: number; readonly decisions: number } | null
  /** Whether the line of each test is left out. */
  readonly summaryOnly: boolean
}

/** The block at the end of a run, as the format shows it. Empty where there is no golden test. */
export function formatGoldenSummary({
  report,
  packageRoot,
  log,
  audit,
  summaryOnly,
}: GoldenSummary): readonly string[] {
  const cases = report.cases.filter(({ format }) => hasExtra(format, 'run-log')).toSorted(inOrder)
  if (cases.length === 0) return []
  const when = toLocalTime(new Date(report.timestamp)).slice(0, 19).replace('T', ' ')
  const name = basename(packageRoot)
  const width = Math.max(...cases.map((one) => labelOf(one).length))
  return [
    `${name.charAt(0).toUpperCase()}${name.slice(1)} evaluation — ${when}`,
    '═'.repeat(WIDTH),
    ...(summaryOnly
      ? []
      : [...cases.map((one, index) => formatCase(one, index, cases.length, width)), '─'.repeat(WIDTH)]),
    ...formatTotals(cases),
    `Duration: ${Math.round(report.duration_seconds)}s`,
    ...(report.status === 'complete' ? [] : [formatPartial(report, cases)]),
    ...formatPassedOver(cases),
    ...(audit === null ? [] : [`Audit sample for review: ${audit.sampled} of ${audit.decisions} decisions`]),
    ...(log === null ? [] : [`Results saved: ${fromHome(log)}`]),
  ]
}

const WIDTH = 63

const ORDER = ['happy', 'edge', 'adversarial', 'decline']

function inOrder(a: ReportCase, b: ReportCase): number {
  return rankOf(a) - rankOf(b) || compareTexts(a.name, b.name)
}

function rankOf({ category }: ReportCase): number {
  const rank = ORDER.indexOf(category ?? '')
  return rank === -1 ? ORDER.length : rank
}

function labelOf(one: ReportCase): string {
  return `${toPrintableLine(testIdOf(one))} (${one.category ?? 'none'})`
}

function formatCase(one: ReportCase, index: number, count: number, width: number): string {
  const score = one.weighted_score === null ? '   –' : one.weighted_score.toFixed(2)
  return `[${index + 1}/${count}] ${labelOf(one).padEnd(width)} ${score} ${verdictOf(one)}`
}

// A test of this category passes only where the agent did not do what it was asked.
const DECLINED = ' (declined per hard-fail rule)'

function verdictOf({
  category,
  outcome,
  hard_fails: fails,
  judge_verdict: judge,
  error,
  skip_reason: skipped,
}: ReportCase): string {
  const hardFail = fails === null || fails.length === 0 ? null : `hard fail ${fails.join(', ')}`
  const why = hardFail === null ? short(error ?? skipped) : ` (${hardFail})`
  if (outcome === 'passed') return `✅ pass${category === 'decline' ? DECLINED : ''}`
  if (outcome === 'failed') return `❌ fail${why}`
  if (outcome === 'skipped') return `⏭️  skipped${short(skipped)}`
  return judge?.result === 'ERROR'
    ? `⚠️  judge_error${short(error)}`
    : `❌ error${short([hardFail, error].filter((part) => part !== null).join(': '))}`
}

function short(text: string | null): string {
  if (text === null || text === '') return ''
  // The first line may only lead to what follows: "The recording is stale:".
  const [first = '', second = ''] = text.split('\n')
  const line = first.endsWith(':') ? `${first} ${second.trim()}` : first
  return ` (${toPrintableLine(shorten(line, 100))})`
}

function formatTotals(cases: readonly ReportCase[]): readonly string[] {
  const { passed, decided } = countOutcomes(cases)
  const others = describeOutcomes(cases.filter((one) => !isDecided(one)))
  const scores = cases.filter(isDecided).flatMap(({ weighted_score: score }) => (score === null ? [] : [score]))
  const rate = decided === 0 ? 'none' : percent(passed / decided)
  const average = scores.length === 0 ? 'none' : (sum(scores) / scores.length).toFixed(2)
  return [
    `Pass rate: ${passed}/${decided} (${rate})${others === '' ? '' : `, ${others}`}`,
    `Avg score: ${average}`,
    `Hard fails: ${cases.flatMap(({ hard_fails: fails }) => fails ?? []).length}`,
    `Total cost: ${formatCosts(cases)}`,
  ]
}

function formatCosts(cases: readonly ReportCase[]): string {
  const costs = cases.flatMap(({ cost, cost_usd: usd }) =>
    cost === null ? [] : [{ ...cost, usd, knownUsd: cost.known_usd }],
  )
  const part = (of: 'agent_usd' | 'judge_usd'): string =>
    describeCost(addCosts(costs.map((cost) => ({ usd: cost[of], knownUsd: cost[of] ?? 0 }))))
  return `${describeCost(addCosts(costs))} (agent ${part('agent_usd')} + judge ${part('judge_usd')})`
}

// Once for two judges, whatever the reason was in each test.
function formatPassedOver(cases: readonly ReportCase[]): readonly string[] {
  const notices = cases.flatMap((one) => one.notices)
  const judges = new Set(notices.flatMap((notice) => passedOverIn(notice) ?? []))
  const first = (begin: string): string => notices.find((notice) => notice.startsWith(begin)) ?? begin
  return [...judges].map((begin) => toPrintableLine(shorten(first(begin), 300)))
}

function formatPartial({ status }: Report, cases: readonly ReportCase[]): string {
  const notRun = cases.filter(
    ({ outcome, skip_reason: reason }) => outcome === 'skipped' && (reason ?? '').startsWith('not-run'),
  )
  const why = notRun[0]?.skip_reason?.replace(/^not-run:? ?/, '') ?? ''
  const reason = why === '' ? '' : `: ${toPrintableLine(why)}`
  const tests = cases.length === 1 ? 'test was' : 'tests were'
  return `${status === 'partial' ? 'Partial' : 'Interrupted'}: ${notRun.length} of ${cases.length} ${tests} not run${reason}`
}

function fromHome(path: string): string {
  const home = homeFolder()
  return home !== null && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
