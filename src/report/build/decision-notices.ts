import type { RunDecision } from '../../results/run-decision.ts'

/** Why runs of a query were not decided by their first turn, and where a full session came to something else. */
export function decisionNotices(decisions: readonly (RunDecision | null)[]): readonly string[] {
  const known = decisions.filter((one) => one !== null)
  const reasons = new Set(known.flatMap(({ by, because }) => (by === 'full' && because !== null ? [because] : [])))
  const differing = known.filter(({ agrees }) => agrees === false).length
  return [
    ...[...reasons].map((because) => `Its runs are full sessions: ${because}.`),
    ...(differing === 0
      ? []
      : [`In ${differing} of ${known.length} runs the first turn and a full session came to different verdicts.`]),
  ]
}
