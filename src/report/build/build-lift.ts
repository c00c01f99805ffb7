import { sumOf } from '../../lib/lists.ts'
import { roundInterval, thousandths, wilsonInterval } from '../../lib/rates.ts'
import { pairArms } from '../compare/match-cases.ts'
import type { ReportCase, ReportCaseLift, ReportExpectation, ReportLift, ReportRate, ReportTally } from '../report.ts'
import { isDecided, isScripted, tallyOf } from '../results/result.ts'
import { fisherTest, isTooFewForFisher, isTooFewForSignTest, signTest } from '../statistics/tests.ts'

/** Compares the cases of each target with the same without their skill; empty where nothing ran without. */
export function buildLift(cases: readonly ReportCase[]): readonly ReportLift[] {
  const pairs = pairArms(cases, 'without_skill')
  const targets = new Set(pairs.map(([, one]) => one.target ?? ''))
  return [...targets].map((target) => {
    const ofTarget = pairs.filter(([, one]) => (one.target ?? '') === target)
    return liftOf(
      target,
      ofTarget.flatMap(([other, one]) => compare(one, other) ?? []),
      !ofTarget.flat().some(isScripted),
    )
  })
}

function compare(one: ReportCase, other: ReportCase): ReportCaseLift | null {
  const [a, b] = [tallyOf(one), tallyOf(other)]
  // What only one side has decided says nothing of a difference.
  if (a.completed === 0 || b.completed === 0 || !isDecided(one) || !isDecided(other)) return null
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

// What was written in advance has no chance in it: there is no interval then, and no test.
function liftOf(target: string, cases: readonly ReportCaseLift[], isMeasured: boolean): ReportLift {
  const better = cases.filter(({ difference }) => difference > 0).length
  const worse = cases.filter(({ difference }) => difference < 0).length
  const sum = sumOf(cases, ({ difference }) => difference)
  return {
    target,
    cases: cases.length,
    with_skill: rateOf(
      cases.map((one) => one.with_skill),
      isMeasured,
    ),
    without_skill: rateOf(
      cases.map((one) => one.without_skill),
      isMeasured,
    ),
    difference: cases.length === 0 ? null : thousandths(sum / cases.length),
    better,
    worse,
    same: cases.length - better - worse,
    test: 'exact sign test over cases, two-sided',
    p_value: cases.length === 0 || !isMeasured ? null : thousandths(signTest(better, worse)),
    too_few: isTooFewForSignTest(cases.length),
    by_case: cases,
  }
}

function rateOf(tallies: readonly ReportTally[], isMeasured: boolean): ReportRate {
  const passed = sumOf(tallies, (one) => one.passed)
  const completed = sumOf(tallies, (one) => one.completed)
  return {
    passed,
    completed,
    rate: completed === 0 ? null : thousandths(passed / completed),
    interval: isMeasured ? roundInterval(wilsonInterval(passed, completed)) : null,
  }
}

/** Says of each expectation of a case whether it holds without the skill too. */
export function compareExpectations(cases: readonly ReportCase[]): readonly ReportCase[] {
  const pairs = new Map(pairArms(cases, 'without_skill').map(([other, one]) => [one, other]))
  return cases.map((one) => {
    const other = pairs.get(one)
    if (other === undefined || one.expectations === null) return one
    return { ...one, ...compareArms(one, one.expectations, other) }
  })
}

function compareArms(
  one: ReportCase,
  expectations: readonly ReportExpectation[],
  other: ReportCase,
): Pick<ReportCase, 'expectations' | 'notices'> {
  const compared = expectations.map((expectation, index) => ({
    ...expectation,
    without_skill: tallyExpectation(other, expectation.text, index),
  }))
  const notices = compared.flatMap(({ text, without_skill: without }, index) => {
    const sentence = describe(tallyExpectation(one, text, index), without)
    return sentence === null ? [] : [`${JSON.stringify(text)} ${sentence}`]
  })
  return { expectations: compared, notices: [...one.notices, ...notices] }
}

/** In how many runs of a case an expectation held, of those that decided it. */
function tallyExpectation(one: ReportCase, text: string, index: number): ReportTally {
  const runs = one.runs.flatMap(({ verdict }) => (verdict === null ? [] : [verdict.expectations]))
  const lists = runs.length === 0 ? [one.expectations] : runs
  const results = lists.flatMap((list) => {
    const found = list?.[index]
    return found === undefined || found.text !== text || found.result === 'ERROR' ? [] : [found.result]
  })
  return { passed: results.filter((result) => result === 'PASS').length, completed: results.length }
}

// Only what holds of all runs of both is named: a share of a few runs is none.
function describe(withSkill: ReportTally, without: ReportTally): string | null {
  if (withSkill.completed === 0 || without.completed === 0) return null
  if (isAlways(without))
    return isAlways(withSkill)
      ? 'also passes without the skill, so it proves nothing about the skill.'
      : withSkill.passed === 0
        ? 'passes only without the skill.'
        : null
  return withSkill.passed + without.passed === 0 ? 'fails with and without the skill, so it may be impossible.' : null
}

function isAlways({ passed, completed }: ReportTally): boolean {
  return passed === completed
}
