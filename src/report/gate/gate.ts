import { SIGNIFICANT } from '../statistics/tests.ts'
import {
  adjustByHolm,
  planTests,
  pooledTest,
  reaches,
  type Detectable,
  type TallyPair,
} from '../statistics/regression-tests.ts'
import { percent, wilsonInterval } from '../../lib/rates.ts'
import { sumOf } from '../../lib/lists.ts'
import {
  armsWithin,
  compareArms,
  comparePair,
  compareWithin,
  pairCases,
  talliesOf,
  type ComparedPair,
} from './compare-arms.ts'
import { findEdits } from '../diff/diff-provenance.ts'
import type { Report } from '../report.ts'
import type { ChangedText, GatedBudget, GatedCase, GateResult, ReportAgainst } from './gate-schema.ts'
import { readReport, type ReadCase, type ReadReport } from '../read-report.ts'

/** A case of today that the version before had, and today's files do not. */
export interface DeletedCase {
  readonly id: string
  readonly name: string
}

/** What reports of one run say of an earlier report: each of its own cases, and the first one of those that none has. */
export function compareWithReport(
  earlier: ReadReport,
  ref: string,
  reports: readonly ReadReport[],
): readonly ReportAgainst[] {
  const pairs = pairCases(
    earlier.cases,
    reports.flatMap(({ cases }) => cases),
  )
  return reports.map((report, index) => {
    const ownPairs = pairs.filter(([, is]) => (is === null ? index === 0 : report.cases.includes(is)))
    const cases = ownPairs.map(([was, is]) => comparePair(was, is))
    return {
      ref,
      commit: earlier.git?.commit ?? null,
      edits: findEdits(ownPairs),
      texts: [],
      result: gatePairs(cases, nameReport(earlier), nameReport(report)),
    }
  })
}

/** Decides whether one report is worse than another by more than noise. */
export function gateReports(before: ReadReport, after: ReadReport): GateResult {
  return gatePairs(compareArms(before, after), nameReport(before), nameReport(after))
}

/** Decides the same of the two arms of a run by its reports, with the cases that were deleted since the version before. */
export function gateWithin(reports: readonly ReadReport[]): GateResult {
  const cases = reports.flatMap(({ against }) => against?.result.cases ?? [])
  const deleted = cases.filter(({ before, after, status }) => status === 'missing' && before === null && after === null)
  return gateArms(
    reports,
    deleted.map(({ id, name }) => ({ id: id ?? name, name })),
  )
}

/**
 * As {@link gateWithin}, of a run without its reports.
 *
 * @param deleted - cases of the version before that are in no file any more.
 */
function gateArms(reports: readonly ReadReport[], deleted: readonly DeletedCase[]): GateResult {
  const [first] = reports
  const side = first === undefined ? NOTHING : nameReport(first)
  const lost = deleted.map(({ id, name }) => comparePair(null, null, { id, name, why: 'it was deleted since' }))
  return gatePairs([...reports.flatMap(compareWithin), ...lost], side, side)
}

const NOTHING: GateResult['after'] = { id: null, timestamp: null, status: null }

function gatePairs(
  pairs: readonly ComparedPair[],
  before: GateResult['before'],
  after: GateResult['after'],
): GateResult {
  const tested = pairs.flatMap((pair) => talliesOf(pair) ?? [])
  const plan = planTests(tested.map(({ before: was, after: is }) => [was.completed, is.completed]))
  const cases = testCases(pairs, plan)
  // A tested case without an interval has answers that somebody wrote.
  const isMeasured = pairs.every((pair) => talliesOf(pair) === null || pair.interval !== null)
  const pooled = poolCases(tested, plan, isMeasured)
  const verdict = compared({ cases, pooled })
  return {
    version: 1,
    verdict,
    exit_code: EXIT_CODES[verdict],
    before,
    after,
    level: SIGNIFICANT,
    plan: wordPlan(tested, plan),
    pooled,
    cases,
    budgets: [],
    notices: pooled === null ? ['No case was decided in both reports and can be tested, so nothing is known.'] : [],
  }
}

/** What a comparison alone comes to. */
export function compared({ cases, pooled }: Pick<GateResult, 'cases' | 'pooled'>): GateResult['verdict'] {
  if (pooled === null || cases.some(({ status }) => OPEN.has(status))) return 'incomplete'
  return pooled.regressed || cases.some(({ regressed }) => regressed) ? 'failed' : 'passed'
}

/** What limits come to; `null` where there are none. */
export function verdictOf(budgets: readonly GatedBudget[]): GateResult['verdict'] | null {
  if (budgets.length === 0) return null
  if (budgets.some(({ verdict }) => verdict === 'failed')) return 'failed'
  return budgets.some(({ verdict }) => verdict === 'unknown') ? 'incomplete' : 'passed'
}

/** The worst of several verdicts: a regression is certain, whatever else is not known. */
export function worstOf(verdicts: readonly (GateResult['verdict'] | null)[]): GateResult['verdict'] | null {
  return (['failed', 'incomplete', 'passed'] as const).find((one) => verdicts.includes(one)) ?? null
}

/** A result with limits of the run. `null` is compared with nothing. */
export function withBudgets(result: GateResult | null, budgets: readonly GatedBudget[], after: ReadReport): GateResult {
  const base = result ?? { ...gatePairs([], NOTHING, nameReport(after)), notices: [] }
  const verdict = worstOf([result?.verdict ?? null, verdictOf(budgets)]) ?? 'passed'
  return { ...base, budgets, verdict, exit_code: EXIT_CODES[verdict] }
}

const EXIT_CODES = { passed: 0, failed: 1, incomplete: 2 } as const

/** What leaves a gate without an answer. */
export const OPEN: ReadonlySet<ComparedPair['status']> = new Set(['changed', 'errored', 'missing', 'mixed', 'stopped'])

function nameReport({ id, timestamp, status }: ReadReport): GateResult['after'] {
  return { id, timestamp, status }
}

function testCases(pairs: readonly ComparedPair[], { singleLevel, pooledLevel }: Detectable): readonly GatedCase[] {
  const values = pairs.flatMap((pair) => {
    const tallies = talliesOf(pair)
    return tallies === null ? [] : [{ pair, p: pooledTest([tallies]) }]
  })
  const adjusted = adjustByHolm(values.map(({ p }) => p))
  const tests = new Map(values.map(({ pair, p }, at) => [pair, { p, by: adjusted[at] ?? 1 }]))
  // A single case is all that the pooled test tests.
  const level = values.length === 1 ? pooledLevel : singleLevel
  return pairs.map((pair) => {
    const { p = null, by = null } = tests.get(pair) ?? {}
    return { ...pair, p_value: p, adjusted_p_value: by, regressed: by !== null && reaches(by, level) }
  })
}

function poolCases(
  tested: readonly TallyPair[],
  { pooledLevel }: Detectable,
  isMeasured: boolean,
): GateResult['pooled'] {
  if (tested.length === 0) return null
  const rate = (side: keyof TallyPair): ReturnType<typeof rateOf> =>
    rateOf(
      tested.map((one) => one[side]),
      isMeasured,
    )
  const [before, after] = [rate('before'), rate('after')]
  const drop = -sumOf(tested, changeOf) / tested.length
  const p = pooledTest(tested)
  return { before, after, drop, p_value: p, regressed: reaches(p, pooledLevel) }
}

function changeOf({ before, after }: TallyPair): number {
  return after.passed / after.completed - before.passed / before.completed
}

function rateOf(
  tallies: readonly TallyPair['before'][],
  isMeasured: boolean,
): NonNullable<GateResult['pooled']>['after'] {
  const passed = sumOf(tallies, (one) => one.passed)
  const completed = sumOf(tallies, (one) => one.completed)
  return { passed, completed, interval: isMeasured ? wilsonInterval(passed, completed) : null }
}

function wordPlan(tested: readonly TallyPair[], plan: Detectable): GateResult['plan'] {
  const runs = (count: (one: TallyPair) => number): number => sumOf(tested, count)
  return {
    cases: tested.length,
    runs_before: runs(({ before }) => before.completed),
    runs_after: runs(({ after }) => after.completed),
    pooled_level: plan.pooledLevel,
    single_level: plan.singleLevel,
    best_single_p_value: plan.bestSingle,
    best_adjusted_p_value: plan.bestAdjusted,
    least_drop: plan.leastDrop,
    says: tested.length === 0 ? [] : sayPlan(tested.length, plan),
  }
}

/** Says in words what tests can find, before anything is run or paid. */
export function sayPlan(cases: number, plan: Detectable): readonly string[] {
  const { bestSingle, bestAdjusted, leastDrop, pooledLevel, singleLevel } = plan
  const single =
    cases === 1
      ? `One case: one-sided p = ${formatP(bestSingle)} at best.`
      : singleLevel > 0
        ? `A single case can fail: p = ${formatP(bestAdjusted)} at best after Holm over ${cases} cases, at the level ${singleLevel}.`
        : `No single case can fail: p = ${formatP(bestAdjusted)} at best after Holm over ${cases} cases.`
  const pooled =
    leastDrop === null
      ? `This gate cannot fail: with so few runs the pooled test never reaches the level ${pooledLevel}. Run more cases, or each more often (--runs).`
      : `The pooled test can fail from a drop of ${percent(leastDrop).replace('%', ' points')}, at the level ${pooledLevel}.`
  return [single, pooled]
}

/** A p-value for reading. */
export function formatP(p: number): string {
  return p < 0.0001 ? '< 0.0001' : String(Number(p.toPrecision(2)))
}

/** A text for the model that differs between the versions, and in which runs it is shown: those that use one of these skills. */
export interface PlannedText extends ChangedText {
  readonly shown: readonly string[] | 'always' | null
}

/** What is known of a comparison before its runs. */
export interface PlannedAgainst extends Pick<ReportAgainst, 'commit' | 'ref'> {
  readonly texts: readonly PlannedText[]
  /** Cases of the earlier version that are in no file any more. */
  readonly deleted: readonly DeletedCase[]
}

/** What a report says of the version that its cases were compared with. */
export function buildAgainst(report: Report, { ref, commit, texts, deleted }: PlannedAgainst): ReportAgainst {
  const read = readReport(report, 'the report')
  const pairs = armsWithin(read.cases)
  const ran = pairs.flat().filter((one) => one !== null && one.runs.length > 0) as readonly ReadCase[]
  const used = new Set(ran.flatMap(({ runs }) => runs.flatMap(({ skills_used: skills }) => skills)))
  return {
    ref,
    commit,
    edits: findEdits(pairs),
    texts: texts.map(({ shown, ...text }) => ({ ...text, seen: isSeen(shown, ran.length > 0, used) })),
    result: gateArms([read], deleted),
  }
}

function isSeen(shown: PlannedText['shown'], hasRun: boolean, used: ReadonlySet<string>): boolean | null {
  if (shown === null || !hasRun) return null
  return shown === 'always' || shown.some((name) => used.has(name))
}
