import type { EvalCase, Suite } from './suite.ts'
import { kindOf, type ArmChoice } from './kinds.ts'

/** The engine and the model that run a case; each is absent where only one is asked for. */
export interface Variant {
  readonly engine?: string
  readonly model?: string
}

/** Every model on every engine; none where there is only one of both. */
export function variantsOf(engines: readonly string[], models: readonly string[]): readonly Variant[] {
  const onEngines = engines.length < 2 ? [{}] : engines.map((engine) => ({ engine }))
  if (models.length > 1) return onEngines.flatMap((one) => models.map((model) => ({ ...one, model })))
  return onEngines.length < 2 ? [] : onEngines
}

/** Makes each case one per variant, by name and tags. */
export function expandVariants(suite: Suite, variants: readonly Variant[]): Suite {
  if (variants.length === 0) return suite
  return { ...suite, cases: suite.cases.flatMap((evalCase) => variants.map((variant) => caseFor(evalCase, variant))) }
}

function caseFor(evalCase: EvalCase, variant: Variant): EvalCase {
  const tags = [...new Set([...evalCase.tags, ...tagsOf(variant)])]
  return { ...evalCase, ...variant, name: nameVariant(evalCase.name, variant), tags }
}

/** The name of a case that there is one of for each variant, such as `pdf (codex, gpt-5)`. */
export function nameVariant(name: string, { engine, model }: Variant): string {
  return `${name} (${[engine, model].filter((part) => part !== undefined).join(', ')})`
}

/** The tags of a variant: the names that Vitest takes as tags. */
export function tagsOf({ engine, model }: Variant): readonly string[] {
  return [engine, model].filter((name) => name !== undefined).filter(isPlainTag)
}

/** Whether Vitest takes a name as a tag. */
export function isPlainTag(name: string): boolean {
  return TAG.test(name)
}

const TAG = /^(?!(?:and|or|not)$)[^\s!()*|&]+$/i

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
