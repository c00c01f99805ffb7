import { wilsonInterval } from '../../lib/rates.ts'
import { formatPlace, plural } from '../../lib/text.ts'
import { costOf, OPEN } from '../compare/verdicts.ts'
import type { ArmOfCase, Comparison, GatedCase } from '../compare/comparison-schema.ts'
import {
  describeBudget,
  formatChange,
  formatCost,
  formatP,
  formatPooledTest,
  formatRate,
  formatSeen,
  sayBudgets,
  sayVerdict,
  totalRows,
} from '../compare/words.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'
import { countOutcomes, describeOutcomes, isScripted } from '../results/result.ts'
import { fitComment, inert, link, type Section } from './markdown.ts'

/** What a comment on a pull request tells, which is also the summary of a CI job. */
export interface CommentedRun {
  /** Of the package as it is now, one for each package and engine. */
  readonly reports: readonly ReadReport[]
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
  const ownCases = reports.flatMap((report) => report.cases).filter(({ arm }) => arm === null)
  const tested = cases.filter(({ status }) => status === 'compared').toSorted(byChange)
  const worse = tested.filter(({ change }) => (change ?? 0) < 0)
  const better = tested.filter(({ change }) => (change ?? 0) > 0).toReversed()
  const describe = (one: GatedCase): string => describeChange(one, find(ownCases, one))
  const told = new Set(worse.map((one) => find(ownCases, one)))
  const rest = ownCases.filter((one) => !told.has(one) && one.quarantined === null)
  const failed = rest.filter(({ outcome }) => outcome === 'failed')
  const errored = rest.filter(({ outcome }) => outcome === 'errored')
  const skipped = rest.filter(({ outcome }) => outcome === 'skipped')
  return fitComment(headOf(run, ownCases, { worse: worse.length, better: better.length }), [
    section('Regressions', 'regressions', worse.map(describe)),
    section('Failed', 'failed cases', failed.map(describeCase)),
    section('Errored', 'errored cases', errored.map(describeCase)),
    section(
      'Changed recordings: review what the model is said to have answered',
      'changed recordings',
      (recordings ?? []).map((path) => `- ${inert(path, MOST_NAME)}`),
    ),
    section('Fixes', 'fixes', better.map(describe)),
    section('Not tested', 'untested cases', cases.filter(({ status }) => OPEN.has(status)).map(describeOpen)),
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

function find(cases: readonly ReadCase[], { id, engine, name }: GatedCase): ReadCase | null {
  const found = cases.filter((one) => one.id === id && one.engine === engine)
  return found.find((one) => one.name === name) ?? found[0] ?? null
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
    describeOutcomes(ownCases) || 'no case ran',
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
  const [verdict, why] = sayVerdict(comparison, decides)
  const tested = cases.length === 0 ? [] : [`${verdict === '' ? '' : `**${verdict}** `}${why}`]
  if (budgets.length === 0) return tested
  const lines = budgets.map((budget) => `- ${MARKS[budget.verdict]} ${describeBudget(budget).join(': ')}`)
  return [...tested, ...(tested.length === 0 ? [] : ['']), `**${sayBudgets(budgets)}**`, ...lines]
}

const MARKS = { failed: '❌', passed: '✅', unknown: '❔' } as const

function ratesOf({ comparison, reports }: CommentedRun, ownCases: readonly ReadCase[]): readonly string[] {
  const cost = formatCost(costOf(reports))
  if (comparison === null || comparison.pooled === null) {
    const counted = ownCases.filter(({ quarantined }) => quarantined === null)
    const { passed, decided: completed } = countOutcomes(counted)
    // Answers that somebody wrote have no chance in them.
    const interval = counted.some(isScripted) ? null : wilsonInterval(passed, completed)
    return [
      '| | |',
      '|---|---|',
      `| pass rate | ${formatRate({ passed, completed, interval }, 'cases')} |`,
      `| cost | ${cost} |`,
    ]
  }
  const { before, after } = comparison.pooled
  const rows = [
    ['runs passed', formatRate(before, 'runs'), formatRate(after, 'runs')],
    ...totalRows(comparison, (text) => inert(text, MOST_NAME)),
  ]
  return [
    '| | before | after |',
    '|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    `Pooled test: ${formatPooledTest(comparison.pooled)}. Cost of the whole run: ${cost}.`,
  ]
}

function byChange(a: GatedCase, b: GatedCase): number {
  return Number(b.regressed) - Number(a.regressed) || (a.change ?? 0) - (b.change ?? 0)
}

function describeChange(one: GatedCase, after: ReadCase | null): string {
  const isWorse = (one.change ?? 0) < 0
  const alone = one.regressed ? '**beyond noise by itself**' : `p = ${formatP(one.p_value ?? 1)} by itself`
  const facts = [`${tally(one.before)} → ${tally(one.after)}`, formatChange(one), ...(isWorse ? [alone] : [])]
  return [
    `- ${inert(one.name, MOST_NAME)}: ${facts.join(', ')}`,
    ...(isWorse ? describeReason(one.after?.error) : describeReason(one.before?.error, 'Before: ')),
    ...(isWorse ? [...quoteOf(after, 'FAIL'), ...placeOf(after)] : quoteOf(after, 'PASS')),
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
    ...describeReason(one.error ?? one.skip_reason),
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
  return [
    `- ${inert(`${part}, ${path}`, MOST_NAME)}${formatSeen(seen)}`,
    ...(before === null ? [] : [`  - before: ${inert(before, MOST_REASON)}`]),
    ...(after === null ? [] : [`  - after: ${inert(after, MOST_REASON)}`]),
  ].join('\n')
}

function describeReason(why: string | null | undefined, label = ''): readonly string[] {
  return why == null || why.trim() === '' ? [] : [`  - ${label}${inert(why, MOST_REASON)}`]
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
