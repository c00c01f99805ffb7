import { sum, sumOf } from '../../lib/lists.ts'
import { boundsText, percent, wilsonInterval, Z2 } from '../../lib/rates.ts'
import { dollars } from '../../lib/text.ts'
import type { Budgets } from '../../options/project-options.ts'
import { describeQuarantine, isQuarantined } from '../../options/quarantine.ts'
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
  const quarantine = is?.quarantine ?? null
  const isRated = both !== null && RATED.has(status) && [was, is].every((one) => one !== null && hasRate(one))
  return {
    name,
    id,
    engine,
    status,
    why,
    ...(quarantine === null ? {} : { quarantine }),
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
  const { quarantine } = is
  if (quarantine !== null && isQuarantined({ quarantine })) return ['quarantined', describeQuarantine(quarantine)]
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

/** The numbers that a budget is compared with. */
interface Measured {
  /** `null`: unknown. */
  readonly value: number | null
  /** Of a rate, at 95%. */
  readonly interval: GatedBudget['interval']
  readonly why: string | null
}

/** One budget: what it is called, how it is measured and shown. */
interface Budget {
  readonly label: string
  /** Whether the value has to be at least, or at most, what the budget says. */
  readonly isFloor: boolean
  readonly show: (value: number) => string
  readonly measure: (reports: readonly ReadReport[]) => Measured
}

const BUDGETS: Readonly<Record<keyof Budgets, Budget>> = {
  passRate: {
    label: 'pass rate',
    isFloor: true,
    show: percent,
    measure: (reports) => {
      const cases = gatingCases(reports)
      const passed = cases.filter(({ outcome }) => outcome === 'passed').length
      return rateOf(passed, passed + cases.filter(({ outcome }) => outcome === 'failed').length, 'no case was decided')
    },
  },
  triggerRecall: {
    label: 'trigger recall',
    isFloor: true,
    show: percent,
    measure: (reports) => {
      const all = queriesOf(reports)
      const positive = all.filter(({ should_trigger: should }) => should)
      if (all.some(isCutShort)) return CUT_SHORT
      return rateOf(
        sumOf(positive, firedOf),
        sumOf(positive, completedOf),
        'no run of a query that should trigger counts',
      )
    },
  },
  triggerPrecision: {
    label: 'trigger precision',
    isFloor: true,
    show: percent,
    measure: (reports) => {
      const all = queriesOf(reports)
      const positive = all.filter(({ should_trigger: should }) => should)
      if (all.some(isCutShort)) return CUT_SHORT
      return rateOf(sumOf(positive, firedOf), sumOf(all, firedOf), 'no query triggered')
    },
  },
  costUsd: {
    label: 'cost',
    isFloor: false,
    show: dollars,
    measure: (reports) => {
      const usd = sumOf(reports, ({ summary }) => summary.cost_usd ?? 0)
      const unknown = sumOf(reports, ({ summary }) => summary.unknown_cost_cases ?? 0)
      const ran = reports.some(({ cases }) => cases.some(({ cost }) => cost !== null))
      if (!ran) return { value: 0, interval: null, why: null }
      const why = unknown === 0 ? null : `the cost of ${unknown} ${unknown === 1 ? 'case is' : 'cases is'} not known`
      return { value: usd, interval: null, why }
    },
  },
  tokens: {
    label: 'tokens',
    isFloor: false,
    show: (value) => value.toLocaleString('en-US'),
    measure: (reports) => {
      const lost = reports.flatMap(({ cases }) => cases).filter((one) => one.runs.length > 0 && one.usage === null)
      const used = sumOf(reports, ({ summary }) => sum(Object.values(summary.tokens ?? {})))
      const why =
        lost.length === 0 ? null : `the tokens of ${lost.length} ${lost.length === 1 ? 'case' : 'cases'} are not known`
      return { value: used, interval: null, why }
    },
  },
  p95Seconds: {
    label: 'time of a run (p95)',
    isFloor: false,
    show: (value) => `${value.toFixed(1)} s`,
    measure: (reports) => {
      const times = gatingCases(reports).flatMap(({ runs }) => runs.flatMap((run) => run.duration_seconds ?? []))
      const why = times.length === 0 ? 'no run has a time' : null
      return { value: times.length === 0 ? null : nearestRank(times, P95), interval: null, why }
    },
  },
}

const P95 = 0.95

/** The smallest time that at least this share of the runs does not exceed. */
function nearestRank(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(share * values.length) - 1] ?? 0
}

// What runs for comparison only, or is in quarantine, gates nothing; it is paid all the same.
function gatingCases(reports: readonly ReadReport[]): readonly ReadCase[] {
  return reports.flatMap(({ cases }) => cases).filter((one) => one.arm === null && !isQuarantined(one))
}

type Query = NonNullable<ReadCase['trigger']>

function queriesOf(reports: readonly ReadReport[]): readonly Query[] {
  return gatingCases(reports).flatMap(({ outcome, trigger }) =>
    trigger === null || outcome === 'errored' ? [] : [trigger],
  )
}

function isCutShort({ saved }: Query): boolean {
  return saved !== null
}

const CUT_SHORT: Measured = {
  value: null,
  interval: null,
  why: 'queries stopped at their verdict (--runs auto), so they have no rate',
}

function firedOf({ fired }: Query): number {
  return fired
}

function completedOf({ completed }: Query): number {
  return completed
}

function rateOf(part: number, whole: number, nothing: string): Measured {
  const interval = wilsonInterval(part, whole)
  return { value: whole === 0 ? null : part / whole, interval, why: interval === null ? nothing : null }
}

/** Compares what a run came to with its budgets: rates by the lower bound of their interval. */
export function checkBudgets(reports: readonly ReadReport[], budgets: Budgets): readonly GatedBudget[] {
  return named(budgets).map(([name, limit, { isFloor, measure }]) => {
    const { value, interval, why } = measure(reports)
    const compared = isFloor ? (interval?.[0] ?? null) : value
    const isExceeded = compared !== null && (isFloor ? compared < limit : compared > limit)
    // What is known may be too much already; what is not known may be.
    const verdict = isExceeded ? 'failed' : why === null ? 'passed' : 'unknown'
    return { name, limit, value, interval, verdict, why }
  })
}

function named(budgets: Budgets): readonly (readonly [keyof Budgets, number, Budget])[] {
  return (Object.keys(BUDGETS) as (keyof Budgets)[]).flatMap((name) => {
    const limit = budgets[name]
    return limit === undefined ? [] : [[name, limit, BUDGETS[name]] as const]
  })
}

/** A budget in words: what it came to, and what it has to be. */
export function describeBudget({
  name,
  limit,
  value,
  interval,
  why,
}: GatedBudget): readonly [label: string, text: string] {
  const { label, isFloor, show } = BUDGETS[name]
  const bounds = interval === null ? '' : `${boundsText(' (', interval)})`
  const came = value === null ? 'unknown' : `${show(value)}${bounds}`
  const bound = isFloor ? `lower bound at least ${show(limit)}` : `at most ${show(limit)}`
  return [label, `${came}; ${bound}${why === null ? '' : `; ${why}`}`]
}

/** What is known of a run before it starts. */
export interface PlannedSizes {
  /** Cases that gate. */
  readonly cases: number
  /** Runs of queries that should trigger. */
  readonly positives: number
}

/** What limits a run by itself. */
interface PlannedLimits {
  /** `null` where the cases are not known yet. */
  readonly sizes: PlannedSizes | null
  /** Whether no answer can cost anything. */
  readonly isFree: boolean
  readonly maxCostUsd: number
}

/** Says which budgets so many runs cannot meet, or cannot miss, before anything is run or paid. */
export function announceBudgets(budgets: Budgets, planned: PlannedLimits): readonly string[] {
  return named(budgets).flatMap(([name, limit, { label, show }]): readonly string[] => {
    if (name === 'costUsd') return announceCost(limit, planned)
    if (planned.sizes === null || name === 'tokens' || name === 'p95Seconds') return []
    const [trials, what] =
      name === 'passRate'
        ? [planned.sizes.cases, 'cases']
        : [planned.sizes.positives, 'runs of queries that should trigger']
    if (trials === 0) return [`The budget ${label} cannot pass: there are no ${what}.`]
    const best = wilsonInterval(trials, trials)?.[0] ?? 0
    if (best >= limit) return []
    const [shown, enough] = [percent(best), enoughFor(limit).toLocaleString('en-US')]
    return [
      `The budget ${label} cannot pass: even if all ${trials} ${what} pass, the lower bound is ${shown}, below ${show(limit)}. It takes ${enough}.`,
    ]
  })
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
