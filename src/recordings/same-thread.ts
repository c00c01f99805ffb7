import type { TurnKey } from '../conversation/key.ts'

type Named = Pick<TurnKey, 'lane' | 'given'>

/** Whether a lane of a run is the one at this place of a recording: same kind, given the same, the same one of these. */
export function sameThread<Other extends Named>(
  recorded: readonly Named[],
  index: number,
  others: readonly Other[],
  other: Other,
): boolean {
  const one = recorded[index]
  if (one === undefined || one.lane !== other.lane || one.given !== other.given) return false
  const alike = (thread: Named): boolean => thread.lane === one.lane && thread.given === one.given
  return recorded.slice(0, index).filter(alike).length === others.slice(0, others.indexOf(other)).filter(alike).length
}
