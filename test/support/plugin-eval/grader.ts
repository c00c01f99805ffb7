import type { Grader } from '../../../src/formats/plugin-eval/model.ts'
import { caseSchema } from '../../../src/formats/plugin-eval/schema.ts'
import { findByCheck } from '../../../src/case/assess/grade-run.ts'
import { OUTCOMES } from '../../../src/report/results/result.ts'
import type { CheckResult } from '../../../src/checks/check.ts'
import type { TargetContent } from '../../../src/checks/targets.ts'
import type { AgentRun } from '../../../src/transcript/transcript.ts'

/** A grader as an author writes it, as it is read. */
export function grader(written: Readonly<Record<string, unknown>>): Grader {
  const { graders } = caseSchema.parse({
    schema_version: '1.1',
    name: 'case',
    execution: { prompt: 'Go.' },
    graders: [{ name: 'g', ...written }],
  })
  const [one] = graders
  if (one === undefined) throw new Error('no grader')
  return { ...one, at: { line: 1, column: 1 } }
}

/** Grades a run by a grader that asks no judge. */
export function gradeBy(
  written: Readonly<Record<string, unknown>>,
  run: AgentRun,
  targets?: ReadonlyMap<string, TargetContent>,
): Pick<CheckResult, 'code' | 'outcome'> & { readonly explanation: string } {
  const one = grader(written)
  if (!('check' in one)) throw new Error(`${one.type} asks a judge`)
  const { result, explanation, code } = findByCheck(one.check, run, targets)
  return { outcome: OUTCOMES[result], explanation, ...(code === undefined ? {} : { code }) }
}
