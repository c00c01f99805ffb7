import { z } from 'zod'
import type { ReportGraded, ReportGrader } from '../report/report-graded.ts'

/** What is shown of the graders of a `claude plugin eval` case. */
export interface ShownGraded extends Pick<ReportGraded, 'score' | 'threshold'> {
  readonly graders: readonly ShownGrader[]
}

interface ShownGrader extends Pick<ReportGrader, 'name' | 'scored' | 'type' | 'weight' | 'explanation'> {
  readonly result: string
  readonly ours?: { readonly reason: string; readonly quote: string | null } | null | undefined
}

const grader: z.ZodType<ShownGrader> = z.object({
  name: z.string(),
  type: z.string(),
  weight: z.number(),
  scored: z.boolean(),
  result: z.string(),
  explanation: z.string(),
  ours: z.object({ reason: z.string(), quote: z.string().nullable() }).nullish().catch(null),
})

/** Reads the graders of a case; `null` where a report has none. */
export const shownGraded: z.ZodType<ShownGraded | null | undefined> = z
  .object({ score: z.number().nullable(), threshold: z.number(), graders: z.array(grader) })
  .nullish()
  .catch(null)

/** The heading of graders: what the case came to. */
export function titleOf({ score, threshold }: ShownGraded): string {
  return `graders, score ${score === null ? 'n/a' : score.toFixed(2)}, threshold ${threshold.toFixed(2)}`
}

/** The lines of graders: the result of each, what it found, and what the judge gave as its reason. */
export function graderLines({ graders }: ShownGraded): readonly string[] {
  return graders.flatMap(({ name, type, weight, scored, result, explanation, ours }) => [
    `${result}  ${name} (${type}, ${scored ? `weight ${weight}` : 'not scored'}): ${explanation}`,
    ...(ours == null ? [] : [`  ${ours.reason}`]),
    ...(ours?.quote == null ? [] : [`  "${ours.quote}"`]),
  ])
}
