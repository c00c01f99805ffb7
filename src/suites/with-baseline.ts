import { isCompared, type Ablation } from './formats/plugin-eval/arms.ts'
import type { EvalCase, Suite } from './suite.ts'

/**
 * Adds to each case of a skill a second one that lacks the skill. Both stand at one place of the file, and have one id:
 * what tells them apart is the arm.
 */
export function withBaseline(suite: Suite, { baseline, ablation }: ArmChoice): Suite {
  const hasArms = (one: EvalCase): boolean =>
    one.pluginEval === undefined ? baseline && hasBaseline(one) : hasBothArms(one, ablation)
  if (!suite.cases.some(hasArms)) return suite
  return { ...suite, cases: suite.cases.flatMap((one) => (hasArms(one) ? [one, withoutSkill(one)] : [one])) }
}

/** Which cases are run a second time. */
export interface ArmChoice {
  /** Cases of skills without their skill. */
  readonly baseline: boolean
  /** Cases of `claude plugin eval` without their plugin. */
  readonly ablation: Ablation
}

function hasBothArms({ arm, broken, pluginEval, skipped }: EvalCase, ablation: Ablation): boolean {
  const isRun = arm === undefined && broken === undefined && skipped === undefined
  return isRun && pluginEval !== undefined && isCompared(pluginEval, ablation)
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
