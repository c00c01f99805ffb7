import { styleText } from 'node:util'
import { costOf } from '../compare/verdicts.ts'
import { formatCost } from '../compare/words.ts'
import { firstOf, sum, sumOf } from '../../lib/lists.ts'
import { percent } from '../../lib/rates.ts'
import { plural, shorten, toPrintableLine, toPrintableMessage } from '../../lib/text.ts'
import { isDriftNotice } from '../../recordings/drift.ts'
import type { Report, ReportCase } from '../report.ts'
import { countOutcomes, isScripted } from '../results/result.ts'
import { isScenarioNotice, isUnenforcedNotice } from '../build/summarize-run.ts'
import { formatQuarantine, formatWeakExpectations, formatLift, formatRepeats, formatSaved } from './rows.ts'
import { formatSeconds } from './table.ts'
import type { Paint } from './terminal.ts'

/** A report and where it was written. */
export interface SummaryReport {
  readonly report: Report
  /** As a person should read it; `null` when no report was written. */
  readonly path: string | null
}

/** How the block looks. */
interface SummaryOptions {
  readonly color: boolean
}

/** The block at the end of a run, in the shape of Vitest's own. Empty when there is nothing to say. */
export function formatSummary(reports: readonly SummaryReport[], { color }: SummaryOptions): readonly string[] {
  const cases = reports.flatMap(({ report }) => report.cases)
  if (cases.length === 0) return []

  // What runs for comparison only passes and fails nothing.
  const counted = cases.filter(({ arm }) => arm === null)
  const passed = cases.filter(({ outcome }) => outcome === 'passed')
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text)
  const rows: readonly (readonly [string, string | null])[] = [
    ['Agent Evals', counted.length === 0 ? null : `${formatCounts(counted, paint)}${explainErrored(counted, paint)}`],
    ['Pass Rate', counted.length === 0 ? null : formatPassRate(counted)],
    ...formatQuarantine(counted, paint),
    ...formatRepeats(counted),
    ...formatSaved(counted),
    ...formatLift(
      reports.map(({ report }) => report),
      isOfSeveral(reports),
    ),
    ...formatWeakExpectations(reports.map(({ report }) => report)),
    ...formatTriggers(reports, counted),
    ...formatDecided(cases),
    ...formatWeak(cases, paint),
    ['Drift', formatNotices(cases, isDriftNotice, paint)],
    ['Scenario', formatNotices(passed, isScenarioNotice, paint)],
    ['Sabotage', formatSabotage(cases, paint)],
    ['Judge', formatJudge(reports.map(({ report }) => report))],
    ['', formatSelfJudged(cases)],
    ['Answers', formatSources(cases)],
    ['Cached', formatTaken(cases, true)],
    ['Reused', formatTaken(cases, false)],
    ['Cost', formatSpent(reports)],
    ['Sandbox', formatSandbox(cases, paint)],
    ...reports.map((one) => ['Report', formatReport(one, isOfSeveral(reports), paint)] as const),
  ]
  return rows.flatMap(([label, value]) => (value === null ? [] : [`${paint('dim', label.padStart(11))}  ${value}`]))
}

function formatCounts(cases: readonly ReportCase[], paint: Paint): string {
  const counts = countOutcomes(cases)
  const styles = { failed: 'red', errored: 'yellow', passed: 'green', skipped: 'dim' } as const
  const shown = (['failed', 'errored', 'passed', 'skipped'] as const).flatMap((outcome) =>
    counts[outcome] === 0 ? [] : [paintCount(styles[outcome], `${counts[outcome]} ${outcome}`, paint)],
  )
  return `${shown.join(paint('dim', ' | '))} ${paint('dim', `(${cases.length})`)}`
}

// Vitest has one word for both.
function explainErrored(cases: readonly ReportCase[], paint: Paint): string {
  return cases.some(({ outcome }) => outcome === 'errored') ? paint('dim', ', errored is failed in Vitest') : ''
}

function paintCount(style: 'dim' | 'green' | 'red' | 'yellow', text: string, paint: Paint): string {
  return style === 'dim' ? paint(style, text) : paint('bold', paint(style, text))
}

function formatPassRate(cases: readonly ReportCase[]): string | null {
  const { passed, decided } = countOutcomes(cases)
  return decided === 0 ? 'n/a (no case passed or failed)' : `${percent(passed / decided)} (${passed} of ${decided})`
}

function formatTriggers(
  reports: readonly SummaryReport[],
  cases: readonly ReportCase[],
): readonly (readonly [string, string])[] {
  const scripted = cases.filter((one) => one.trigger !== null && isScripted(one)).length
  const tables = reports.flatMap(({ report }) =>
    (report.triggers ?? []).map((table) => ({ ...table, engine: report.config.engine, owner: nameOf(report) })),
  )
  const isMatrix = new Set(tables.map(({ engine }) => engine)).size > 1
  const ownerOf = ({ engine, model, suite }: (typeof tables)[number]): string => {
    const variant = [isMatrix ? engine : null, model].filter((part) => part !== null)
    return toPrintableLine(variant.length === 0 ? suite : `${suite} (${variant.join(', ')})`)
  }
  const isNamed = isOfSeveral(reports)
  const rows = tables.map((table, index) => {
    const fired = table.true_positives + table.false_positives
    const positive = table.true_positives + table.false_negatives
    const others = Object.entries(table.fired_instead).map(([skill, runs]) => `${toPrintableLine(skill)} ${runs}`)
    const parts = [
      ...(tables.length > 1 ? [`${isNamed ? table.owner : ''}${ownerOf(table)}`] : []),
      `precision ${ofRuns(table.true_positives, fired)}`,
      `recall ${ofRuns(table.true_positives, positive)}`,
      ...(others.length === 0 ? [] : [`used instead: ${others.join(', ')}`]),
    ]
    return [index === 0 ? 'Triggers' : '', parts.join(', ')] as const
  })
  if (scripted === 0) return rows
  const note = `${plural(scripted, 'query', 'queries')} with scripted answers, which measure no model`
  return [...rows, [rows.length === 0 ? 'Triggers' : '', note]]
}

function ofRuns(part: number, whole: number): string {
  return whole === 0 ? 'unknown (no run)' : `${percent(part / whole)} (${part} of ${whole} runs)`
}

// What `drift: warn` let pass, and calls that failed although their case passed: a failed case shows its own.
function formatNotices(
  cases: readonly ReportCase[],
  isMeant: (notice: string) => boolean,
  paint: Paint,
): string | null {
  const lines = cases.flatMap(({ name, notices }) =>
    notices.filter(isMeant).map((notice) => `${paint('yellow', toPrintableLine(name))}: ${toPrintableMessage(notice)}`),
  )
  return lines.length === 0 ? null : lines.join('\n').replaceAll('\n', `\n${' '.repeat(13)}`)
}

// Of the hook cases that passed, those that a hook which does nothing passes too.
function formatSabotage(cases: readonly ReportCase[], paint: Paint): string | null {
  const tried = cases.filter(({ sabotage }) => sabotage !== null)
  if (tried.length === 0) return null
  const named = (state: ReportCase['sabotage']): string =>
    toPrintableLine(tried.flatMap(({ name, sabotage }) => (sabotage === state ? [name] : [])).join(', '))
  const [blind, unknown] = [named('unnoticed'), named('unknown')]
  const parts = [
    ...(blind === '' ? [] : [`cannot fail: ${blind}`]),
    ...(unknown === '' ? [] : [`not tried, without a recording or scenario: ${unknown}`]),
  ]
  if (parts.length === 0) {
    const all = tried.length === 1 ? 'the hook case' : `each of the ${tried.length} hook cases`
    return `${all} fails with a hook that does nothing`
  }
  return blind === '' ? parts.join('; ') : paint('yellow', parts.join('; '))
}

// A statement that a careless result meets too proves little, however green it is.
function formatWeak(cases: readonly ReportCase[], paint: Paint): readonly (readonly [string, string])[] {
  const weak = cases.flatMap(({ name, checks, expectations }) => [
    ...(expectations ?? []).flatMap((one) => (one.weak === null ? [] : [{ name, text: one.text, why: one.weak }])),
    ...checks.flatMap((one) =>
      one.weak === null ? [] : [{ name, text: `${one.kind}: ${String(one.value)}`, why: one.weak }],
    ),
  ])
  const [first] = weak
  if (first === undefined) return []
  const count = `${plural(weak.length, 'weak expectation')}, named in the report`
  const shown = weak.slice(0, MOST_WEAK).map(({ name, text, why }) => {
    const what = shorten(text, 100)
    return ['', `${toPrintableLine(`${name}: ${what}`)} ${paint('dim', toPrintableLine(why))}`] as const
  })
  return [['Weak', paint('yellow', count)], ...shown]
}

const MOST_WEAK = 5

function formatJudge(reports: readonly Report[]): string | null {
  const claims = sumOf(reports, ({ judge }) => judge.claims)
  return claims === 0
    ? null
    : `${plural(claims, 'verdict')} ${claims === 1 ? 'rests' : 'rest'} only on the agent's own words`
}

function formatSelfJudged(cases: readonly ReportCase[]): string | null {
  const models = new Set(
    cases.flatMap(({ judge_verdict: verdict }) => (verdict?.self_judged === true ? [verdict.model] : [])),
  )
  return models.size < 2
    ? null
    : `each of the ${models.size} models judges itself; to compare them, name one judge for all with --judge`
}

function formatSources(cases: readonly ReportCase[]): string | null {
  const parts = SOURCES.flatMap(([source, words, scripted]) => {
    const all = cases.filter((entry) => answeredBy(entry) === source)
    const bySomeone = all.filter((entry) => entry.recorded?.origin !== 'scenario').length
    const byScenario = all.length - bySomeone
    return [
      ...(bySomeone === 0 ? [] : [`${bySomeone} ${words}`]),
      ...(byScenario === 0 ? [] : [`${byScenario} ${scripted}`]),
    ]
  })
  return parts.length === 0 ? null : parts.join(', ')
}

// Only what was written can be played again.
function answeredBy({ source, recorded }: ReportCase): ReportCase['source'] {
  return source === 'record' && recorded === null ? 'live' : source
}

function formatTaken(cases: readonly ReportCase[], cached: boolean): string | null {
  const taken = cases.filter((one) => one.cached === cached && one.reused_from !== null)
  const runs = taken.flatMap(({ reused_from: run }) => (run === null ? [] : [run]))
  if (runs.length === 0) return null
  const [from = '', ...others] = [...new Set(runs)].toSorted()
  const more = others.length === 0 ? '' : ` and ${plural(others.length, 'later run')}`
  const took = formatSeconds(sumOf(taken, ({ duration_seconds: seconds }) => seconds ?? 0))
  const source = `${toPrintableLine(from)}${more}, which took ${took}`
  return cached
    ? `${runs.length} unchanged since ${source} (run --no-cache plays them again)`
    : `${runs.length} from ${source}`
}

function formatSpent(reports: readonly SummaryReport[]): string | null {
  const ran = reports.map(({ report }) => report).filter(({ cases }) => cases.some(({ cost }) => cost !== null))
  if (ran.length === 0) return null
  const tokens = sumOf(ran, ({ summary }) => sum(Object.values(summary.tokens ?? {})))
  const amount = formatCost(costOf(ran))
  return tokens === 0 ? amount : `${amount} (${tokens.toLocaleString('en-US')} tokens)`
}

function formatSandbox(cases: readonly ReportCase[], paint: Paint): string | null {
  const enforced = [
    ...new Set(cases.flatMap((entry) => (entry.sandbox === null ? [] : [entry.sandbox.enforced]))),
  ].toSorted()
  if (enforced.length === 0) return null
  const open = cases.filter(({ notices }) => notices.some(isUnenforcedNotice)).length
  return [
    ...enforced.map((name) =>
      name.startsWith('none') ? paint('yellow', `not enforced: ${toPrintableLine(name)}`) : toPrintableLine(name),
    ),
    ...(open === 0 ? [] : [paint('yellow', `nothing kept ${plural(open, 'case')} to \`writable-paths\``)]),
  ].join(', ')
}

// Of several packages, such as the plugins of a marketplace, each says how its own cases ended.
function formatReport({ report, path }: SummaryReport, isNamed: boolean, paint: Paint): string | null {
  const ownCases = report.cases.filter(({ arm }) => arm === null)
  const name = isNamed && ownCases.length > 0 ? `${nameOf(report)}${formatCounts(ownCases, paint)}` : null
  if (path === null) return name
  const status = report.status === 'complete' ? '' : ` ${paint('yellow', `(${report.status})`)}`
  return [...(name === null ? [] : [name]), `${toPrintableLine(path)}${status}`].join('  ')
}

function isOfSeveral(reports: readonly SummaryReport[]): boolean {
  return new Set(reports.map(({ report }) => report.package.name)).size > 1
}

function nameOf({ package: { name } }: Report): string {
  return name === null ? '' : `${toPrintableLine(name)}: `
}

const SOURCES = [
  ['live', 'by a model', 'by scenarios, no model called'],
  ['record', 'by a model, and recorded', 'by scenarios, no model called, and recorded'],
  ['replay', 'from recordings', 'from recordings of scenarios, no model called'],
  ['scenario', 'by scenarios, no model called', 'by scenarios, not by a model'],
] as const

/** What decided the runs of trigger queries; empty where there are none. */
function formatDecided(cases: readonly ReportCase[]): readonly (readonly [string, string])[] {
  const runs = cases.flatMap((entry) => entry.runs ?? [])
  const parts = WAYS.flatMap(([by, words]) => {
    const count = runs.filter(({ decided_by: decided }) => decided === by).length
    return count === 0 ? [] : [`${plural(count, 'query run')} by ${words}`]
  })
  if (parts.length === 0) return []
  return [['Decided', parts.join(', ')], ...reasonsOf(runs).map((line) => ['', line] as const)]
}

/** Why runs were full sessions, the most frequent reason first: a person should not have to open the report. */
function reasonsOf(runs: NonNullable<ReportCase['runs']>): readonly string[] {
  const counts = new Map<string, number>()
  for (const { decided_by: by, decided_because: because } of runs) {
    if (because === null || by !== 'full') continue
    const reason = `full: ${shorten(toPrintableLine(because), LONGEST_REASON)}`
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const all = [...counts].toSorted(([, one], [, other]) => other - one)
  const reasons = all.map(([reason, n]) => `${n} ${reason}`)
  return firstOf(reasons, MOST_REASONS)
}

const MOST_REASONS = 3
const LONGEST_REASON = 300

const WAYS = [
  ['probe', 'the first model turn'],
  ['probe+full', 'the first turn and the rest of its session'],
  ['full', 'a full session'],
] as const
