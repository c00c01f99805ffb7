import { sum } from '../../lib/lists.ts'
import { formatPoints, percent } from '../../lib/rates.ts'
import { plural, toPrintableLine, shorten } from '../../lib/text.ts'
import type { Report, ReportCase, ReportLift, ReportRate } from '../report.ts'
import { FEWEST_PAIRS } from '../statistics/tests.ts'
import { describeOutcomes } from '../results/result.ts'
import type { Paint } from './terminal.ts'

/** A row of the summary: its label and its text. */
type SummaryRow = readonly [label: string, text: string]

/** What the skill adds, each target a row, of several packages with the name of its own; what may be chance is marked. */
export function formatLift(
  reports: readonly Pick<Report, 'lift' | 'package'>[],
  isOfSeveral: boolean,
): readonly SummaryRow[] {
  const lifts = reports.flatMap(({ lift = [], package: { name } }) => lift.map((one) => ({ ...one, owner: name })))
  return lifts.map((lift, index) => {
    const owner = isOfSeveral && lift.owner !== null ? `${lift.owner}: ` : ''
    const name = lifts.length > 1 ? `${toPrintableLine(`${owner}${lift.target}`)} ` : ''
    return [index === 0 ? 'Lift' : '', `${name}${describeLift(lift)}`]
  })
}

/** The comparison of one target as a line. */
export function describeLift(lift: ReportLift): string {
  if (lift.difference === null) return 'unknown: no case was decided with the skill and without it'
  const { with_skill: one, without_skill: other, cases, better, worse, p_value: p } = lift
  const arms = `${rate(one)} with the skill, ${rate(other)} without`
  const counts = `${better} of ${plural(cases, 'case')} better, ${worse} worse`
  const found =
    one.interval === null
      ? SCRIPTED
      : lift.too_few
        ? `too few cases (needs ${FEWEST_PAIRS})`
        : `exact sign test p = ${p ?? 'unknown'}${p !== null && p > 0.05 ? ', which may be chance' : ''}`
  return `${formatPoints(lift.difference)}: ${arms}; ${counts}; ${found}`
}

/** How many expectations hold without the skill too. */
export function formatWeakExpectations(reports: readonly Pick<Report, 'cases'>[]): readonly SummaryRow[] {
  const listed = reports.flatMap(({ cases }) => cases.flatMap(({ expectations }) => expectations ?? []))
  const compared = listed.filter(({ without_skill: without }) => (without?.completed ?? 0) > 0)
  const weak = compared.filter(({ result, without_skill: without }) => {
    return result === 'PASS' && without !== undefined && without.passed === without.completed
  })
  if (weak.length === 0) return []
  return [['', `${weak.length} of ${compared.length} expectations pass without the skill too`]]
}

function rate({ rate: share, interval, passed, completed }: ReportRate): string {
  if (share === null) return 'unknown'
  const bounds = interval === null ? '' : `, ${percent(interval[0])} to ${percent(interval[1])}`
  return `${percent(share)} (${passed} of ${completed}${bounds})`
}

/** What is said where a rate has no interval. */
const SCRIPTED = 'scripted answers, which measure no model'

/** What several runs of the cases have shown: runs that passed, and the chance of k runs for the largest k that all have. */
export function formatRepeats(cases: readonly ReportCase[]): readonly SummaryRow[] {
  const repeated = cases.flatMap(({ repeats }) =>
    repeats === null || repeats.completed === 0 || repeats.saved !== undefined ? [] : [repeats],
  )
  if (repeated.length === 0) return []
  const passed = sum(repeated.map((one) => one.passed))
  const completed = sum(repeated.map((one) => one.completed))
  const runs = `${passed} of ${completed} passed (${percent(passed / completed)})`
  const k = Math.min(...repeated.map((one) => one.completed))
  if (repeated.some(({ interval }) => interval === null)) return [['Runs', `${runs}; ${SCRIPTED}`]]
  if (k < 2) return [['Runs', runs]]
  const mean = (of: (one: (typeof repeated)[number]) => readonly number[]): string =>
    percent(sum(repeated.map((one) => of(one)[k - 1] ?? 0)) / repeated.length)
  const any = mean(({ pass_at_k: shares }) => shares)
  const all = mean(({ pass_all_k: shares }) => shares)
  return [['Runs', `${runs}; pass@${k} ${any}, pass^${k} ${all}`]]
}

/** How many runs were not made, since none of them could change a verdict. */
export function formatSaved(cases: readonly ReportCase[]): readonly SummaryRow[] {
  const parts = cases.flatMap(({ repeats, trigger }) => {
    const part = repeats ?? trigger
    return part?.saved === undefined ? [] : [{ runs: part.runs, saved: part.saved }]
  })
  if (parts.length === 0) return []
  const [saved, runs] = [sum(parts.map((one) => one.saved)), sum(parts.map((one) => one.runs))]
  return [
    [
      'Saved',
      `${saved} of ${plural(runs, 'run')} could not change a verdict and ${saved === 1 ? 'was' : 'were'} not made; no rates`,
    ],
  ]
}

/** The cases in quarantine, each with how it came out and why. Empty where there are none. */
export function formatQuarantine(cases: readonly ReportCase[], paint: Paint): readonly (readonly [string, string])[] {
  const quarantined = cases.filter((one) => one.quarantined === true)
  if (quarantined.length === 0) return []
  const [count, lines] = [quarantined.length, quarantined.toSorted((one, other) => rankOf(one) - rankOf(other))]
  return [
    [
      'Quarantine',
      paint(
        'yellow',
        `${plural(count, 'case')} gate${count === 1 ? 's' : ''} nothing: ${describeOutcomes(quarantined)}`,
      ),
    ],
    ...lines.map((one) => ['', describeCase(one, paint)] as const),
  ]
}

function rankOf({ outcome }: ReportCase): number {
  return ['failed', 'errored', 'skipped', 'passed'].indexOf(outcome)
}

function describeCase({ name, outcome, error, skip_reason: skipped }: ReportCase, paint: Paint): string {
  const why = (error ?? skipped ?? '').split('\n')[0] ?? ''
  const shown = why === '' ? '' : `. ${paint('dim', shorten(toPrintableLine(why), LONGEST_REASON))}`
  return `${toPrintableLine(name)}: ${outcome}${shown}`
}

const LONGEST_REASON = 200
