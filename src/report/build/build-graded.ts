import { VERDICTS } from '../verdicts.ts'
import type { GraderResult } from '../../graders/grader-result.ts'
import type { GradedPart } from '../../results/graded-part.ts'
import type { ReportGraded, ReportGrader } from '../report.ts'

/** Builds what a report says of graders; nothing for a case that has none. */
export function buildGraded(part: GradedPart | undefined): { readonly graded?: ReportGraded } {
  if (part === undefined) return {}
  return { graded: { score: part.score, threshold: part.threshold, graders: part.graders.map(buildGrader) } }
}

function buildGrader({
  name,
  type,
  at,
  weight,
  scored,
  outcome,
  explanation,
  votes,
  ours,
}: GraderResult): ReportGrader {
  return {
    name,
    type,
    line: at.line,
    weight,
    scored,
    result: VERDICTS[outcome],
    explanation,
    votes: votes ?? null,
    ours:
      ours === undefined
        ? null
        : { reason: ours.reason, quote: ours.quote === '' ? null : ours.quote, quote_found: ours.quoteFound },
  }
}
