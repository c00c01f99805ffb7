import { pairArms } from './build-lift.ts'
import type { ReportCase, ReportExpectation, ReportTally } from '../report.ts'

/** Says of each expectation of a case whether it holds without the skill too. */
export function compareExpectations(cases: readonly ReportCase[]): readonly ReportCase[] {
  const pairs = new Map(pairArms(cases))
  return cases.map((one) => {
    const other = pairs.get(one)
    if (other === undefined || one.expectations === null) return one
    return { ...one, ...compare(one, one.expectations, other) }
  })
}

function compare(
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
export function tallyExpectation(one: ReportCase, text: string, index: number): ReportTally {
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
