import { fisherTest, isTooFewForFisher, isTooFewForSignTest, signTest } from '../../statistics/exact-tests.ts'
import { wilsonInterval } from '../../statistics/wilson.ts'
import { roundInterval, thousandths } from '../../statistics/round.ts'
import { sumOf } from '../../lists.ts'
import type { ReportCase, ReportCaseLift, ReportLift, ReportRate, ReportTally } from '../report.ts'

/** Compares the cases of each target with the same without their skill; empty where nothing ran without. */
export function buildLift(cases: readonly ReportCase[]): readonly ReportLift[] {
  const pairs = pairArms(cases)
  const targets = new Set(pairs.map(([one]) => one.target ?? ''))
  return [...targets].map((target) => {
    const ofTarget = pairs.filter(([one]) => (one.target ?? '') === target)
    return liftOf(
      target,
      ofTarget.flatMap(([one, other]) => compare(one, other) ?? []),
    )
  })
}

/** Each case that was also run without its skill, with that. */
export function pairArms(cases: readonly ReportCase[]): readonly (readonly [ReportCase, ReportCase])[] {
  const without = new Map(cases.filter(({ arm }) => arm !== null).map((one) => [keyOf(one), one] as const))
  return cases.flatMap((one) => {
    const other = one.arm === null ? without.get(keyOf(one, '@without_skill')) : undefined
    return other === undefined ? [] : [[one, other] as const]
  })
}

function keyOf({ id, engine }: ReportCase, arm = ''): string {
  return `${engine}\0${id}${arm}`
}

/** How many of a case's runs passed. */
export function tallyOf({ outcome, repeats }: Pick<ReportCase, 'outcome' | 'repeats'>): ReportTally {
  if (repeats !== null) return { passed: repeats.passed, completed: repeats.completed }
  return { passed: Number(outcome === 'passed'), completed: Number(outcome === 'passed' || outcome === 'failed') }
}

function compare(one: ReportCase, other: ReportCase): ReportCaseLift | null {
  const [a, b] = [tallyOf(one), tallyOf(other)]
  // What only one side has decided says nothing of a difference.
  if (a.completed === 0 || b.completed === 0 || isLost(one) || isLost(other)) return null
  return {
    id: one.id,
    with_skill: a,
    without_skill: b,
    difference: thousandths(a.passed / a.completed - b.passed / b.completed),
    test: "Fisher's exact test, two-sided",
    p_value: thousandths(fisherTest(a, b)),
    too_few: isTooFewForFisher(a.completed, b.completed),
  }
}

function isLost({ outcome }: ReportCase): boolean {
  return outcome === 'errored' || outcome === 'skipped'
}

function liftOf(target: string, cases: readonly ReportCaseLift[]): ReportLift {
  const better = cases.filter(({ difference }) => difference > 0).length
  const worse = cases.filter(({ difference }) => difference < 0).length
  const sum = sumOf(cases, ({ difference }) => difference)
  return {
    target,
    cases: cases.length,
    with_skill: rateOf(cases.map((one) => one.with_skill)),
    without_skill: rateOf(cases.map((one) => one.without_skill)),
    difference: cases.length === 0 ? null : thousandths(sum / cases.length),
    better,
    worse,
    same: cases.length - better - worse,
    test: 'exact sign test over cases, two-sided',
    p_value: cases.length === 0 ? null : thousandths(signTest(better, worse)),
    too_few: isTooFewForSignTest(cases.length),
    by_case: cases,
  }
}

function rateOf(tallies: readonly ReportTally[]): ReportRate {
  const passed = sumOf(tallies, (one) => one.passed)
  const completed = sumOf(tallies, (one) => one.completed)
  return {
    passed,
    completed,
    rate: completed === 0 ? null : thousandths(passed / completed),
    interval: roundInterval(wilsonInterval(passed, completed)),
  }
}
