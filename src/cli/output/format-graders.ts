import type { ReadGraded } from '../../report/read-report.ts'

/** The heading of graders: what the case came to. */
export function titleOf({ score, threshold }: ReadGraded): string {
  return `graders, score ${score === null ? 'n/a' : score.toFixed(2)}, threshold ${threshold === null ? 'n/a' : threshold.toFixed(2)}`
}

/** The lines of graders: the result of each, what it found, and what the judge gave as its reason. */
export function graderLines({ graders }: ReadGraded): readonly string[] {
  return graders.flatMap(({ name, type, weight, scored, result, explanation, ours }) => [
    `${result}  ${name} (${type}, ${scored ? `weight ${weight}` : 'not scored'}): ${explanation}`,
    ...(ours === null ? [] : [`  ${ours.reason}`]),
    ...(ours?.quote == null ? [] : [`  "${ours.quote}"`]),
  ])
}
