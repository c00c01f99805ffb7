import { barePackage, type AgentPackage } from '../packages/package.ts'
import { kindOf, type ArmChoice } from './kinds.ts'
import type { EvalCase, Suite } from './suite.ts'

/**
 * Adds to each case of a skill a second one that lacks the skill. Both stand at one place of the file, and have one id:
 * what tells them apart is the arm.
 */
export function withBaseline(suite: Suite, choice: ArmChoice): Suite {
  const hasArms = (one: EvalCase): boolean => kindOf(one).hasBaseline(one, choice)
  if (!suite.cases.some(hasArms)) return suite
  return { ...suite, cases: suite.cases.flatMap((one) => (hasArms(one) ? [one, withoutSkill(one)] : [one])) }
}

function withoutSkill(evalCase: EvalCase): EvalCase {
  return { ...evalCase, arm: 'without_skill', name: `${evalCase.name}${BASELINE}` }
}

/** What tells the name of such a test from that of its case. */
export const BASELINE = ' (without_skill)'

/** A package of which a session gets nothing: the arm without the plugin. */
export function leaveOutPlugin(pkg: AgentPackage): AgentPackage {
  const known = made.get(pkg) ?? { ...barePackage({ root: pkg.root, skills: [] }), only: [] }
  made.set(pkg, known)
  return known
}

// Listings and hashes are kept for each package that was read: the same one has to be given for the same.
const made = new WeakMap<AgentPackage, AgentPackage>()
