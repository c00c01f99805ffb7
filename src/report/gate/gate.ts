import { SIGNIFICANT } from '../statistics/tests.ts'
import {
  adjustByHolm,
  changeOf,
  planTests,
  pooledTest,
  reaches,
  type Detectable,
  type TallyPair,
} from '../statistics/regression-tests.ts'
import { wilsonInterval } from '../../lib/rates.ts'
import { sumOf } from '../../lib/lists.ts'
import { armsWithin, comparePair, deletedPair, pairCases, talliesOf, type ComparedPair } from './compare-arms.ts'
import { findDifferences, findEdits, scenariosOfEngines, type CasePair } from '../diff/diff-provenance.ts'
import { compareLift, totalsOf } from '../diff/totals.ts'
import type { Report } from '../report.ts'
import type { ChangedText, Comparison, GatedBudget, GatedCase, GateResult, ReportAgainst } from './gate-schema.ts'
import { compared, verdictOf, worstOf } from './verdicts.ts'
import { describePower } from './words.ts'
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
    const cases = ownPairs.map(comparePair)
    return {
      ref,
      commit: earlier.git?.commit ?? null,
      edits: findEdits(ownPairs),
      texts: [],
      result: gatePairs(cases, nameReport(earlier), nameReport(report)),
    }
  })
}

/** Compares two reports: their cases, what they were made with, what they cost. */
export function compare(before: ReadReport, after: ReadReport): Comparison {
  const pairs = pairCases(before.cases, after.cases)
  const result = gatePairs(pairs.map(comparePair), nameReport(before), nameReport(after))
  return {
    ...result,
    notices: [...result.notices, ...remarksOn(before, after, pairs)],
    made_with: findDifferences(before, after),
    edits: findEdits(pairs),
    texts: [],
    totals: totalsOf(pairs, [before, after]),
    lift: compareLift(before, after),
  }
}

/**
 * Compares the reports of one run with the version before, or with an earlier report; `null` where the run compared
 * nothing.
 */
export function compareRun(reports: readonly ReadReport[], earlier: ReadReport | null): Comparison | null {
  const [first] = reports
  const against = reports.flatMap((one) => one.against ?? [])
  if (first === undefined || against.length === 0) return null
  const pairs = reports.flatMap(({ cases }) => armsWithin(cases))
  const deleted = against.flatMap(({ result }) => result.cases.filter(isDeleted))
  const compared =
    earlier === null
      ? {
          ...NOTHING_ELSE,
          ...gateArms(pairs, deleted, nameReport(first)),
          totals: totalsOf(pairs, null),
        }
      : compare(earlier, { ...first, cases: reports.flatMap(({ cases }) => cases) })
  return { ...compared, edits: against.flatMap(({ edits }) => edits), texts: against.flatMap(({ texts }) => texts) }
}

const NOTHING_ELSE = { made_with: [], edits: [], texts: [], totals: totalsOf([], null), lift: [] }

// Of the version before, and in no file any more.
function isDeleted({ before, after, status }: GatedCase): boolean {
  return status === 'missing' && before === null && after === null
}

function gateArms(pairs: readonly CasePair[], deleted: readonly ComparedPair[], side: GateResult['after']): GateResult {
  return gatePairs([...pairs.map(comparePair), ...deleted], side, side)
}

function remarksOn(before: ReadReport, after: ReadReport, pairs: readonly CasePair[]): readonly string[] {
  const ofEngines = pairs.filter((pair) => scenariosOfEngines(pair).length > 0).length
  const [name, other] = [before.package.name, after.package.name]
  return [
    ...(ofEngines === 0
      ? []
      : [
          `In ${ofEngines} of the cases each engine has a scenario of its own. They compare these scenarios, not models.`,
        ]),
    ...(name !== null && other !== null && name !== other
      ? [`The reports are of two packages: ${name} and ${other}.`]
      : []),
  ]
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

/** A result with limits of the run. `null` is compared with nothing. */
export function withBudgets(result: Comparison | null, budgets: readonly GatedBudget[], after: ReadReport): Comparison {
  const base = result ?? { ...gatePairs([], NOTHING, nameReport(after)), ...NOTHING_ELSE, notices: [] }
  const verdict = worstOf([result?.verdict ?? null, verdictOf(budgets)]) ?? 'passed'
  return { ...base, budgets, verdict, exit_code: EXIT_CODES[verdict] }
}

const EXIT_CODES = { passed: 0, failed: 1, incomplete: 2 } as const

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
    says: tested.length === 0 ? [] : describePower(tested.length, plan),
  }
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
    result: gateArms(pairs, deleted.map(deletedPair), nameReport(read)),
  }
}

function isSeen(shown: PlannedText['shown'], hasRun: boolean, used: ReadonlySet<string>): boolean | null {
  if (shown === null || !hasRun) return null
  return shown === 'always' || shown.some((name) => used.has(name))
}
