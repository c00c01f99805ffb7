import { sumOf } from '../../lib/lists.ts'
import { boundsText, percent, wilsonInterval, type Interval } from '../../lib/rates.ts'
import { formatPlace, plural } from '../../lib/text.ts'
import { describeBudget } from '../gate/compare-arms.ts'
import { formatChangeOf, formatCost } from '../gate/format-comparison.ts'
import { compared, formatP, OPEN, verdictOf } from '../gate/gate.ts'
import type { ArmOfCase, Comparison, GatedCase } from '../gate/gate-schema.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'
import { countOutcomes, isScripted } from '../results/result.ts'
import { formatSeconds } from '../summary/table.ts'
import { fitComment, inert, link, type Section } from './markdown.ts'

/** What a comment on a pull request tells, which is also the summary of a CI job. */
export interface CommentedRun {
  /** Of the package as it is now, one for each package and engine. */
  readonly reports: readonly ReadReport[]
  /** The report before, where it is another one. */
  readonly before: ReadReport | null
  /** What the comparison and the budgets came to; `null` where there are none. */
  readonly comparison: Comparison | null
  /** Whether the comparison fails the run. */
  readonly decides: boolean
  /** Paths of the recordings that the pull request changes; `null` where they are not known. */
  readonly recordings: readonly string[] | null
  /** Address of the page, or of the run of the CI that has it; `null` where none is known. */
  readonly url: string | null
}

/** The first line of each comment, by which the next run finds it. */
export const MARKER = '<!-- vitest-agent-evals -->'

/** A run as a comment on a pull request, in the Markdown of GitHub and GitLab. */
export function formatComment(run: CommentedRun): string {
  const { reports, comparison, recordings } = run
  const { cases = [], edits = [], texts = [] } = comparison ?? {}
  const ownCases = reports.flatMap(({ cases }) => cases).filter(({ arm }) => arm === null)
  const pairs = cases.map((one) => ({ one, is: find(ownCases, one), was: beforeOf(run, one) }))
  const tested = pairs.filter(({ one }) => one.status === 'compared')
  const worse = tested.filter(({ one }) => (one.change ?? 0) < 0)
  const better = tested.filter(({ one }) => (one.change ?? 0) > 0)
  const told = new Set(worse.map(({ is }) => is))
  const rest = ownCases.filter((one) => !told.has(one) && one.quarantined === null)
  const failed = rest.filter(({ outcome }) => outcome === 'failed')
  const errored = rest.filter(({ outcome }) => outcome === 'errored')
  const skipped = rest.filter(({ outcome }) => outcome === 'skipped')
  return fitComment(headOf(run, ownCases, { worse: worse.length, better: better.length }), [
    section('Regressions', 'regressions', worse.toSorted(byChange).map(describeChange)),
    section('Failed', 'failed cases', failed.map(describeCase)),
    section('Errored', 'errored cases', errored.map(describeCase)),
    section(
      'Changed recordings: review what the model is said to have answered',
      'changed recordings',
      (recordings ?? []).map((path) => `- ${inert(path, MOST_NAME)}`),
    ),
    section('Fixes', 'fixes', better.toSorted(byChange).toReversed().map(describeChange)),
    section(
      'Not tested',
      'untested cases',
      pairs.filter(({ one }) => OPEN.has(one.status)).map(({ one }) => describeOpen(one)),
    ),
    section(
      'In quarantine, which gates nothing',
      'quarantined cases',
      ownCases.filter(({ quarantined }) => quarantined !== null).map(describeCase),
    ),
    section('Skipped', 'skipped cases', skipped.map(describeCase)),
    section('Changed files', 'changed files', edits.map(describeEdit)),
    section('Changed texts for the model', 'changed texts', texts.map(describeText)),
  ])
}

function section(title: string, nouns: string, items: readonly string[]): Section {
  return { title, nouns, items }
}

interface ChangedCase {
  readonly one: GatedCase
  readonly is: ReadCase | null
  readonly was: ReadCase | null
}

function find(cases: readonly ReadCase[], { id, engine, name }: GatedCase): ReadCase | null {
  return cases.find((one) => one.id === id && one.engine === engine && one.name === name) ?? null
}

// Of another report, or of the other arm of the same one.
function beforeOf({ before, reports }: CommentedRun, { id, engine }: GatedCase): ReadCase | null {
  const all =
    before === null ? reports.flatMap(({ cases }) => cases).filter(({ arm }) => arm === 'variant') : before.cases
  const earlierId = before === null ? `${id ?? ''}@variant` : id
  return all.find((one) => one.id === earlierId && one.engine === engine) ?? null
}

function headOf(
  run: CommentedRun,
  ownCases: readonly ReadCase[],
  changes: { readonly worse: number; readonly better: number },
): readonly string[] {
  const { comparison, reports, recordings, url } = run
  const page = url === null ? null : link('Report page and artifacts', url)
  const title = [
    ...(changes.worse > 0 ? [plural(changes.worse, 'regression')] : []),
    ...(changes.better > 0 ? [plural(changes.better, 'fix', 'fixes')] : []),
    countOutcomes(ownCases) || 'no case ran',
  ]
  const partial = reports.filter(({ status }) => status !== null && status !== 'complete').length
  return [
    MARKER,
    `### Agent evals: ${title.join(', ')}`,
    '',
    ...(partial === 0 ? [] : [`**Not complete:** ${plural(partial, 'report')} of ${reports.length}.`, '']),
    ...(recordings === null ? [UNKNOWN_RECORDINGS, ''] : []),
    ...(comparison === null ? [] : [...verdictsOf(comparison, run.decides), '']),
    ...ratesOf(run, ownCases),
    ...(page === null ? [] : ['', page]),
  ]
}

const UNKNOWN_RECORDINGS =
  'Which recordings this pull request changes is unknown: fetch its base branch too (`fetch-depth: 0`).'

function verdictsOf(comparison: Comparison, decides: boolean): readonly string[] {
  const { budgets, cases } = comparison
  const limits = verdictOf(budgets)
  const isCompared = cases.length > 0
  const verdict = compared(comparison)
  const says = { failed: 'failed', incomplete: 'undecided', passed: 'passed' } as const
  const why = {
    failed: 'The cases are worse by more than noise.',
    incomplete: `${plural(cases.filter(({ status }) => OPEN.has(status)).length, 'case')} could not be tested.`,
    passed: 'No regression beyond noise was found.',
  }
  return [
    ...(isCompared ? [`${decides ? `**Gate ${says[verdict]}.** ` : ''}${why[verdict]}`] : []),
    ...(limits === null
      ? []
      : [...(isCompared ? [''] : []), `**Budgets ${limits === 'passed' ? 'kept' : says[limits]}.**`]),
    ...budgets.map((budget) => {
      const [label, text] = describeBudget(budget)
      return `- ${MARKS[budget.verdict]} ${label}: ${text}`
    }),
  ]
}

const MARKS = { failed: '❌', passed: '✅', unknown: '❔' } as const

function ratesOf({ comparison, reports }: CommentedRun, ownCases: readonly ReadCase[]): readonly string[] {
  const cost = formatCost({
    cost_usd: sumOf(reports, ({ summary }) => summary.cost_usd ?? 0),
    unknown_cost_cases: sumOf(reports, ({ summary }) => summary.unknown_cost_cases ?? 0),
  })
  if (comparison === null || comparison.pooled === null) {
    const counted = ownCases.filter(({ quarantined }) => quarantined === null)
    const passed = counted.filter(({ outcome }) => outcome === 'passed').length
    const decided = passed + counted.filter(({ outcome }) => outcome === 'failed').length
    // Answers that somebody wrote have no chance in them.
    const interval = counted.some(isScripted) ? null : wilsonInterval(passed, decided)
    return [
      '| | |',
      '|---|---|',
      `| pass rate | ${formatRate(passed, decided, interval, 'cases')} |`,
      `| cost | ${cost} |`,
    ]
  }
  const { pooled, totals } = comparison
  const row = (what: string, show: (side: 'after' | 'before') => string): string =>
    `| ${what} | ${show('before')} | ${show('after')} |`
  return [
    '| | before | after |',
    '|---|---|---|',
    row('pass rate', (side) => formatRate(pooled[side].passed, pooled[side].completed, pooled[side].interval, 'runs')),
    row('cost', (side) => formatCost(totals[side])),
    row('time of the cases', (side) => formatSeconds(totals[side].duration_seconds)),
    '',
    `Pooled test: p = ${formatP(pooled.p_value)}, one-sided. Cost of the whole run: ${cost}.`,
  ]
}

function formatRate(passed: number, completed: number, interval: Interval | null, what: string): string {
  if (completed === 0) return `unknown (no ${what} decided)`
  return `${percent(passed / completed)} (${passed} of ${completed} ${what}${boundsText('; ', interval)})`
}

function byChange({ one: a }: ChangedCase, { one: b }: ChangedCase): number {
  return Number(b.regressed) - Number(a.regressed) || (a.change ?? 0) - (b.change ?? 0)
}

function describeChange({ one, is, was }: ChangedCase): string {
  const { before, after, change, regressed, p_value: p } = one
  const isWorse = (change ?? 0) < 0
  const beyond = !isWorse ? '' : regressed ? ', **beyond noise by itself**' : `, p = ${formatP(p ?? 1)} by itself`
  const head = `- ${inert(one.name, MOST_NAME)}: ${tally(before)} → ${tally(after)}, ${formatChangeOf(one)}${beyond}`
  const shown = isWorse ? is : was
  return [
    head,
    ...reasonOf(shown, isWorse ? '' : 'Before: '),
    ...(isWorse ? [...quoteOf(is, 'FAIL'), ...placeOf(is)] : quoteOf(is, 'PASS')),
  ].join('\n')
}

function tally(arm: ArmOfCase | null): string {
  return arm === null ? 'nothing' : arm.completed > 1 ? `${arm.passed} of ${arm.completed}` : arm.outcome
}

function describeCase(one: ReadCase): string {
  const { name, outcome } = one
  const repeats =
    one.repeats === null ? '' : `, ${one.repeats.passed ?? 0} of ${one.repeats.completed ?? 0} runs passed`
  return [
    `- ${inert(name, MOST_NAME)}: ${outcome}${repeats}`,
    ...reasonOf(one, ''),
    ...quoteOf(one, 'FAIL'),
    ...placeOf(one),
  ].join('\n')
}

function describeOpen({ name, status, why }: GatedCase): string {
  return `- ${inert(name, MOST_NAME)}: ${status}. ${inert(why ?? '', MOST_REASON)}`
}

function describeEdit({ role, path, change }: Comparison['edits'][number]): string {
  return `- ${change}: ${inert(`${role} ${path}`, MOST_NAME)}`
}

function describeText({ part, path, before, after, seen }: Comparison['texts'][number]): string {
  const state = seen === null ? '' : seen ? '; the model saw it' : '; the model did not see it'
  return [
    `- ${inert(`${part}, ${path}`, MOST_NAME)}${state}`,
    ...(before === null ? [] : [`  - before: ${inert(before, MOST_REASON)}`]),
    ...(after === null ? [] : [`  - after: ${inert(after, MOST_REASON)}`]),
  ].join('\n')
}

function reasonOf(one: ReadCase | null, label: string): readonly string[] {
  const why = one?.error ?? one?.skip_reason ?? null
  return why === null || why.trim() === '' ? [] : [`  - ${label}${inert(why, MOST_REASON)}`]
}

function placeOf(one: ReadCase | null): readonly string[] {
  if (one === null || one.file === null || one.line === null) return []
  return [`  - At ${inert(formatPlace({ file: one.file, line: one.line, column: one.column }), MOST_REASON)}`]
}

// What the judge relied on, where a judge was asked; else the agent's own words.
function quoteOf(one: ReadCase | null, verdict: 'FAIL' | 'PASS'): readonly string[] {
  if (one === null || one.runs.length === 0) return []
  const stated = (one.expectations ?? []).find(({ result, evidence }) => result === verdict && evidence.length > 0)
  const [evidence] = stated?.evidence ?? []
  if (evidence !== undefined) return [`  - Quote: ${inert(evidence.quote, MOST_REASON)}`]
  const graded = one.graded?.graders.find(({ result, ours }) => result === verdict && ours?.quote != null)
  if (graded?.ours?.quote != null) return [`  - Quote: ${inert(graded.ours.quote, MOST_REASON)}`]
  const output = one.agent_output_snippet ?? ''
  return output.trim() === '' ? [] : [`  - The agent wrote: ${inert(output, MOST_REASON)}`]
}

const MOST_NAME = 200
const MOST_REASON = 400
