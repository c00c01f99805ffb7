import type { EvalCase, Suite } from './suite.ts'

/**
 * Adds to each case of a skill a second one that lacks the skill. Both stand at one place of the file, and have one id:
 * what tells them apart is the arm.
 */
export function withBaseline(suite: Suite): Suite {
  return { ...suite, cases: suite.cases.flatMap((one) => (hasBaseline(one) ? [one, withoutSkill(one)] : [one])) }
}

/** Whether a case says anything without its skill: a query asks for the skill itself. */
export function hasBaseline({ arm, checks, criteria, skipped, target, trigger }: EvalCase): boolean {
  const isAsked = skipped === undefined && (criteria !== null || checks.length > 0)
  return arm === undefined && isAsked && trigger === undefined && target?.kind === 'skill'
}

function withoutSkill(evalCase: EvalCase): EvalCase {
  return { ...evalCase, arm: 'without_skill', name: `${evalCase.name}${BASELINE}` }
}

/** What tells the name of such a test from that of its case. */
export const BASELINE = ' (without_skill)'
