import { hundredths } from '../../lib/rates.ts'
import {
  compareRuns,
  diffLift,
  findDifferences,
  findEdits,
  matchCases,
  scenariosOfEngines,
  sumRuns,
  whatDiffers,
  type CasePair,
  type Difference,
  type Edit,
  type LiftDiff,
  type RunsSide,
} from './diff-provenance.ts'
import { addCosts, microdollars } from '../../gateway/budget/spending.ts'
import { compareTexts } from '../../lib/text.ts'
import { tokensOf, type ReadCase, type ReadReport } from '../read-report.ts'
import type { Outcome } from '../results/result.ts'

/** What happened to a case between two reports. */
export type CaseChange = 'added' | 'fix' | 'lost' | 'recovered' | 'regression' | 'removed' | 'same' | 'undecided'

/** Two reports side by side. */
export interface ReportDiff {
  readonly version: 1
  readonly a: DiffSide
  readonly b: DiffSide
  /** What the two were made with, where it is not the same. */
  readonly differences: readonly Difference[]
  /** Files that are not the same. */
  readonly edits: readonly Edit[]
  /** How many cases both decided and that ask the same: the rates are over these. */
  readonly compared: number
  /** What each skill adds, where a report compares. */
  readonly lift: readonly LiftDiff[]
  /** Without those of cases in quarantine. */
  readonly regressions: number
  readonly fixes: number
  /** Regressions first, then fixes, then by what needs a look. */
  readonly cases: readonly CaseDiff[]
  readonly notices: readonly string[]
}

/** One of the two reports. */
export interface DiffSide {
  readonly id: string | null
  readonly timestamp: string | null
  readonly status: string | null
  readonly total: number
  /** Of the compared cases. */
  readonly passed: number
  /** Of the compared cases; `null` when there are none. */
  readonly pass_rate: number | null
  /** Of the compared cases; `null` when it is unknown for any. */
  readonly duration_seconds: number | null
  /** Of the compared cases, agent and judge together: the known parts. */
  readonly cost_usd: number | null
  /** Compared cases with a part of unknown cost. */
  readonly unknown_cost_cases: number
  /** Of the whole run, with the cases that are not compared. */
  readonly run_cost: { readonly cost_usd: number | null; readonly unknown_cost_cases: number }
  readonly tokens: number | null
  /** Of the compared cases, where all were run several times. */
  readonly runs: RunsSide | null
}

/** One case in both reports. */
export interface CaseDiff {
  readonly name: string
  readonly id: string | null
  readonly target: string | null
  readonly change: CaseChange
  /** How likely chance alone makes its runs as different, where both sides ran it several times. */
  readonly runs_p_value: number | null
  /** What it asks differently, in words; such a case is in no rate and is no regression. */
  readonly asks_differently: readonly string[]
  /** Why it gates nothing, or no longer, by the report after: such a case is shown, and is no regression. */
  readonly quarantined: ReadCase['quarantined']
  readonly a: CaseSide | null
  readonly b: CaseSide | null
}

export interface CaseSide {
  readonly outcome: Outcome
  /** Why it did not pass. */
  readonly error: string | null
  readonly duration_seconds: number | null
  readonly cost_usd: number | null
  readonly runs: { readonly passed: number; readonly completed: number } | null
}

/** Compares two reports: `a` is before, `b` is after. */
export function diffReports(a: ReadReport, b: ReadReport): ReportDiff {
  // What is run without the skill is there for comparison: it neither regresses nor is fixed.
  const pairs = matchCases(a.cases.filter(isOwn), b.cases.filter(isOwn))
  const cases = pairs.map(([before, after]) => diffCase(before, after)).toSorted(byInterest)
  const compared = pairs.filter(([before, after]) => isCompared(before, after))
  const count = (change: CaseChange): number =>
    cases.filter((one) => one.change === change && one.asks_differently.length === 0 && one.quarantined === null).length

  return {
    version: 1,
    a: sideOf(
      a,
      compared.flatMap(([before]) => before ?? []),
    ),
    b: sideOf(
      b,
      compared.flatMap(([, after]) => after ?? []),
    ),
    differences: findDifferences(a, b),
    edits: findEdits(pairs),
    compared: compared.length,
    lift: diffLift(a, b),
    regressions: count('regression'),
    fixes: count('fix'),
    cases,
    notices: remarks(a, b, pairs),
  }
}

function isOwn({ arm }: ReadCase): boolean {
  return arm === null
}

function diffCase(before: ReadCase | null, after: ReadCase | null): CaseDiff {
  const either = after ?? before
  return {
    name: nameOf(before, after),
    id: either?.id ?? null,
    target: either?.target ?? null,
    change: changeOf(before, after),
    runs_p_value: compareRuns(before, after),
    asks_differently: before === null || after === null ? [] : whatDiffers(before, after),
    quarantined: after?.quarantined ?? null,
    a: caseSide(before),
    b: caseSide(after),
  }
}

// Where several engines run, a name says which: what is compared here is not of one of them.
function nameOf(before: ReadCase | null, after: ReadCase | null): string {
  const { name = '', engine = null } = after ?? before ?? {}
  const suffix = ` (${engine})`
  const isOfTwo = before !== null && after !== null && before.engine !== after.engine
  return isOfTwo && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name
}

function changeOf(before: ReadCase | null, after: ReadCase | null): CaseChange {
  if (before === null) return 'added'
  if (after === null) return 'removed'
  const [was, is] = [isDecided(before), isDecided(after)]
  if (!was || !is) return was ? 'lost' : is ? 'recovered' : 'undecided'
  if (before.outcome === after.outcome) return 'same'
  return after.outcome === 'failed' ? 'regression' : 'fix'
}

function isCompared(before: ReadCase | null, after: ReadCase | null): boolean {
  if (before === null || after === null || !isDecided(before) || !isDecided(after)) return false
  return whatDiffers(before, after).length === 0
}

function isDecided({ outcome }: ReadCase): boolean {
  return outcome === 'passed' || outcome === 'failed'
}

function caseSide(entry: ReadCase | null): CaseSide | null {
  if (entry === null) return null
  const { outcome, error, skip_reason: skipped, duration_seconds, cost_usd, repeats } = entry
  const runs = repeats === null ? null : { passed: repeats.passed, completed: repeats.completed }
  return { outcome, error: error ?? skipped, duration_seconds, cost_usd, runs }
}

function sideOf({ id, timestamp, status, cases }: ReadReport, compared: readonly ReadCase[]): DiffSide {
  const passed = compared.filter(({ outcome }) => outcome === 'passed').length
  return {
    id,
    timestamp,
    status,
    total: cases.filter(isOwn).length,
    passed,
    pass_rate: compared.length === 0 ? null : hundredths(passed / compared.length),
    duration_seconds: sum(compared.map((one) => one.duration_seconds)),
    ...costOf(compared),
    run_cost: costOf(cases.filter((one) => one.outcome !== 'skipped' || one.cost_usd !== null)),
    tokens: sum(compared.map(tokensOf)),
    runs: sumRuns(compared),
  }
}

function costOf(cases: readonly ReadCase[]): DiffSide['run_cost'] {
  const { usd, unknownCases } = addCosts(
    cases.map((one) => ({ usd: one.cost_usd, knownUsd: one.cost_usd ?? one.cost?.known_usd ?? 0 })),
  )
  return {
    cost_usd: cases.length === 0 || (usd === 0 && unknownCases > 0) ? null : microdollars(usd),
    unknown_cost_cases: unknownCases,
  }
}

function sum(values: readonly (number | null)[]): number | null {
  let total = 0
  for (const value of values) {
    if (value === null) return null
    total += value
  }
  return values.length === 0 ? null : Math.round(total * 1e6) / 1e6
}

function remarks(a: ReadReport, b: ReadReport, pairs: readonly CasePair[]): readonly string[] {
  const answeredApart = pairs.filter((pair) => scenariosOfEngines(pair).length > 0).length
  return [
    ...(answeredApart === 0
      ? []
      : [
          `In ${answeredApart} of the cases each engine has a scenario of its own. They compare these scenarios, not models.`,
        ]),
    ...(a.package.name !== null && b.package.name !== null && a.package.name !== b.package.name
      ? [`The reports are of two packages: ${a.package.name} and ${b.package.name}.`]
      : []),
    ...(pairs.every(([before, after]) => before === null || after === null) ? ['No case is in both reports.'] : []),
  ]
}

function byInterest(x: CaseDiff, y: CaseDiff): number {
  return rankOf(x) - rankOf(y) || compareTexts(x.name, y.name)
}

function rankOf({ change, asks_differently: asks }: CaseDiff): number {
  return (asks.length > 0 ? ORDER.length : 0) + ORDER.indexOf(change)
}

const ORDER: readonly CaseChange[] = ['regression', 'fix', 'lost', 'recovered', 'undecided', 'added', 'removed', 'same']
