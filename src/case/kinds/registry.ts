import { pluginEval } from './plugin-eval.ts'
import { goldenTest, task } from './task.ts'
import { trigger } from './trigger.ts'
import type { EvalCase } from '../../formats/suite.ts'
import type { CaseKind } from './kind.ts'

const KINDS = { task, trigger, 'plugin-eval': pluginEval, golden: goldenTest }

/** How the cases of a kind run. What they mean before is in `formats/kinds.ts`. */
export function caseKind<One extends EvalCase>({ kind }: One): CaseKind<One, unknown> {
  return KINDS[kind] as unknown as CaseKind<One, unknown>
}
