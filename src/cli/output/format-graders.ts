import { z } from 'zod'

const grader = z.object({
  name: z.string(),
  type: z.string(),
  weight: z.number(),
  scored: z.boolean(),
  result: z.string(),
  explanation: z.string(),
  ours: z.object({ reason: z.string(), quote: z.string().nullable() }).nullish().catch(null),
})

/** Reads the graders of a case; `null` where a report has none. */
export const shownGraded = z
  .object({ score: z.number().nullable(), threshold: z.number(), graders: z.array(grader) })
  .nullish()
  .catch(null)

type ShownGraded = NonNullable<z.infer<typeof shownGraded>>

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
