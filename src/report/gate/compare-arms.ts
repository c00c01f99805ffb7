import { sumOf } from '../../lib/lists.ts'
import { boundsText, percent, wilsonInterval, Z2 } from '../../lib/rates.ts'
import { dollars, plural } from '../../lib/text.ts'
import type { Budgets } from '../../options/project-options.ts'
import { matchCases, whatDiffers, type CasePair } from '../diff/diff-provenance.ts'
import { changeInterval, type TallyPair } from '../statistics/regression-tests.ts'
import type { Tally } from '../statistics/tests.ts'
import { isScripted } from '../results/result.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'
import type { ArmOfCase, GatedBudget, GatedCase } from './gate-schema.ts'

/** One case in both arms, before it is tested. */
export type ComparedPair = Omit<GatedCase, 'adjusted_p_value' | 'p_value' | 'regressed'>

type PairStatus = ComparedPair['status']

/** Matches the cases of two reports and says of each whether its runs can be tested against each other. */
export function compareArms(before: ReadReport, after: ReadReport): readonly ComparedPair[] {
  return pairCases(before.cases, after.cases).map(([was, is]) => comparePair(was, is))
}

/** Matches cases of two sides, without those that ran for comparison only. */
export function pairCases(before: readonly ReadCase[], after: readonly ReadCase[]): readonly CasePair[] {
  return matchCases(before.filter(isOwn), after.filter(isOwn))
}

/** Pairs the cases of a report with the same cases with the version before. */
export function compareWithin({ cases }: ReadReport): readonly ComparedPair[] {
  return armsWithin(cases).map(([was, is]) => comparePair(was, is))
}

/** The cases of a report that ran with the version before, each with the case itself. */
export function armsWithin(cases: readonly ReadCase[]): readonly CasePair[] {
  const before = new Map(cases.filter(({ arm }) => arm === 'variant').map((one) => [keyOf(one), one]))
  return cases.flatMap((one): readonly CasePair[] => {
    if (one.arm !== null) return []
    const was = before.get(keyOf(one))
    return was === undefined ? [] : [[was, one]]
  })
}

function keyOf({ id, arm, engine }: ReadCase): string {
  const whole = id ?? ''
  return `${engine}\0${arm === null ? whole : whole.slice(0, -arm.length - 1)}`
}

function isOwn({ arm }: ReadCase): boolean {
  return arm === null
}

/** The tallies of a case that is tested. */
export function talliesOf({ before, after, status }: ComparedPair): TallyPair | null {
  return status === 'compared' && before !== null && after !== null ? { before, after } : null
}

/** Says of a pair whether it can be tested; `lost` names a case of which neither side has a result. */
export function comparePair(
  was: ReadCase | null,
  is: ReadCase | null,
  lost?: Pick<ComparedPair, 'id' | 'name' | 'why'>,
): ComparedPair {
  const { name = lost?.name ?? '', id = lost?.id ?? null, engine = null } = is ?? was ?? {}
  const [before, after] = [armOf(was), armOf(is)]
  const [status, why] = lost === undefined ? statusOf(was, is) : (['missing', lost.why] as const)
  const both = before === null || after === null ? null : { before, after }
  const isRated = both !== null && RATED.has(status) && [was, is].every((one) => one !== null && hasRate(one))
  return {
    name,
    id,
    engine,
    status,
    why,
    before,
    after,
    change: isRated ? both.after.passed / both.after.completed - both.before.passed / both.before.completed : null,
    // Without 0 in it, it is a p-value by another name; and answers that somebody wrote have no chance in them.
    interval: isRated && status !== 'mixed' && ![was, is].some(isWritten) ? changeInterval(both) : null,
  }
}

// Of the others a difference would be one of two questions, or of runs that do not count.
const RATED: ReadonlySet<PairStatus> = new Set(['compared', 'mixed', 'quarantined'])

function isWritten(entry: ReadCase | null): boolean {
  return entry !== null && isScripted(entry)
}

function hasRate(entry: ReadCase): boolean {
  return isDecided(entry) && !stoppedEarly(entry)
}

function statusOf(was: ReadCase | null, is: ReadCase | null): readonly [PairStatus, string | null] {
  if (is === null) return ['missing', 'it is in the report before, and not in the one after']
  if (is.quarantined !== null) return ['quarantined', 'in quarantine']
  if (was === null) return ['new', 'it is not in the report before']
  const asks = whatDiffers(was, is)
  if (asks.length > 0) return ['changed', `it asks something else: ${asks.join(', ')}`]
  if (!isDecided(is))
    return isDecided(was)
      ? ['errored', is.error ?? is.skip_reason ?? `it is ${is.outcome}`]
      : ['undecided', `it is ${was.outcome} before and ${is.outcome} after`]
  if (!isDecided(was))
    return ['undecided', `it is ${was.outcome} before: ${was.error ?? was.skip_reason ?? 'no reason is known'}`]
  if (stoppedEarly(was) || stoppedEarly(is))
    return ['stopped', 'its runs stopped at the verdict (--runs auto), so they have no rate. Name a number of runs']
  const [of, to] = [answersOf(was), answersOf(is)]
  if (of !== null && to !== null && of !== to) return ['mixed', `${MIXED[of]} before, ${MIXED[to]} after. ${WHY_MIXED}`]
  return ['compared', null]
}

function isDecided(entry: ReadCase): boolean {
  return (entry.outcome === 'passed' || entry.outcome === 'failed') && tallyOf(entry).completed > 0
}

function stoppedEarly({ repeats, trigger }: ReadCase): boolean {
  return (repeats?.saved ?? trigger?.saved ?? null) !== null
}

type Answers = 'live' | 'replay' | 'scenario'

function answersOf({ source }: ReadCase): Answers | null {
  if (source === 'record' || source === 'live') return 'live'
  return source === 'replay' || source === 'scenario' ? source : null
}

const MIXED: Readonly<Record<Answers, string>> = { live: 'live', replay: 'replayed', scenario: 'from a scenario' }
const WHY_MIXED = 'No p-value: authors commit recordings that pass, so live and replayed runs are not drawn alike.'

function armOf(entry: ReadCase | null): ArmOfCase | null {
  if (entry === null) return null
  const { outcome, error, skip_reason: skipped, cost_usd, duration_seconds, source } = entry
  return {
    outcome,
    ...tallyOf(entry),
    answers: source,
    cost_usd,
    duration_seconds,
    error: error ?? skipped,
  }
}

function tallyOf({ outcome, repeats, trigger }: ReadCase): Tally {
  if (trigger != null) {
    const { should_trigger: shouldTrigger, fired, completed } = trigger
    return { passed: shouldTrigger ? fired : completed - fired, completed }
  }
  if (repeats != null) return { passed: repeats.passed, completed: repeats.completed }
  return { passed: Number(outcome === 'passed'), completed: Number(outcome === 'passed' || outcome === 'failed') }
}

/** Compares what a run came to with its budgets: its pass rate by the lower bound of the interval. */
export function checkBudgets(reports: readonly ReadReport[], { passRate, costUsd }: Budgets): readonly GatedBudget[] {
  return [
    ...(passRate === undefined ? [] : [checkPassRate(reports, passRate)]),
    ...(costUsd === undefined ? [] : [checkCost(reports, costUsd)]),
  ]
}

// What runs for comparison only, or is in quarantine, gates nothing; it is paid all the same.
function checkPassRate(reports: readonly ReadReport[], limit: number): GatedBudget {
  const gating = reports.flatMap(({ cases }) => cases).filter((one) => one.arm === null && one.quarantined === null)
  const passed = gating.filter(({ outcome }) => outcome === 'passed').length
  const decided = passed + gating.filter(({ outcome }) => outcome === 'failed').length
  const interval = wilsonInterval(passed, decided)
  const name = 'passRate'
  if (interval === null) return { name, limit, value: null, interval, verdict: 'unknown', why: 'no case was decided' }
  return {
    name,
    limit,
    value: passed / decided,
    interval,
    verdict: interval[0] < limit ? 'failed' : 'passed',
    why: null,
  }
}

function checkCost(reports: readonly ReadReport[], limit: number): GatedBudget {
  const value = sumOf(reports, ({ summary }) => summary.cost_usd ?? 0)
  const unknown = sumOf(reports, ({ summary }) => summary.unknown_cost_cases ?? 0)
  const ran = reports.some(({ cases }) => cases.some(({ cost }) => cost !== null))
  const why = ran && unknown > 0 ? `the cost of ${plural(unknown, 'case')} is not known` : null
  // What is known may be too much already; what is not known may be.
  const verdict = value > limit ? 'failed' : why === null ? 'passed' : 'unknown'
  return { name: 'costUsd', limit, value, interval: null, verdict, why }
}

/** A budget in words: what it came to, and what it has to be. */
export function describeBudget({
  name,
  limit,
  value,
  interval,
  why,
}: GatedBudget): readonly [label: string, text: string] {
  const [label, show, bound] =
    name === 'passRate'
      ? (['pass rate', percent, 'lower bound at least'] as const)
      : (['cost', dollars, 'at most'] as const)
  const bounds = interval === null ? '' : `${boundsText(' (', interval)})`
  const came = value === null ? 'unknown' : `${show(value)}${bounds}`
  return [label, `${came}; ${bound} ${show(limit)}${why === null ? '' : `; ${why}`}`]
}

/** What limits a run by itself. */
interface PlannedLimits {
  /** How many cases gate; `null` where they are not known yet. */
  readonly gating: number | null
  /** Whether no answer can cost anything. */
  readonly isFree: boolean
  readonly maxCostUsd: number
}

/** Says which budgets so many cases cannot meet, or cannot miss, before anything is run or paid. */
export function announceBudgets({ passRate, costUsd }: Budgets, planned: PlannedLimits): readonly string[] {
  return [
    ...(passRate === undefined || planned.gating === null ? [] : announcePassRate(passRate, planned.gating)),
    ...(costUsd === undefined ? [] : announceCost(costUsd, planned)),
  ]
}

function announcePassRate(limit: number, gating: number): readonly string[] {
  if (gating === 0) return ['The budget pass rate cannot pass: there are no cases.']
  const best = wilsonInterval(gating, gating)?.[0] ?? 0
  if (best >= limit) return []
  const [shown, enough] = [percent(best), enoughFor(limit).toLocaleString('en-US')]
  return [
    `The budget pass rate cannot pass: even if all ${gating} cases pass, the lower bound is ${shown}, below ${percent(limit)}. It takes ${enough}.`,
  ]
}

function announceCost(limit: number, { isFree, maxCostUsd }: PlannedLimits): readonly string[] {
  if (isFree) return ['The budget cost cannot fail: answers that are replayed cost nothing.']
  if (maxCostUsd > limit) return []
  return [`The budget cost cannot fail: --max-cost-usd stops the run at ${dollars(maxCostUsd)}.`]
}

// All of n pass: Wilson's lower bound is n / (n + z²).
function enoughFor(limit: number): number {
  return Math.ceil((limit / (1 - limit)) * Z2 - 1e-9)
}
