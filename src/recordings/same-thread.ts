import type { TurnKey } from '../conversation/key.ts'
import type { RecordedThread } from './recording.ts'

/** Whether a thread of a run is the one at this place of a recording: same kind, same prompt, the same one of these. */
export function sameThread<Other extends Pick<TurnKey, 'thread' | 'given'>>(
  recorded: readonly Pick<RecordedThread, 'lane' | 'given'>[],
  index: number,
  others: readonly Other[],
  other: Other,
): boolean {
  const one = recorded[index]
  if (one === undefined || one.lane !== other.thread || one.given !== other.given) return false
  const earlier = recorded.slice(0, index).filter(({ lane, given }) => lane === one.lane && given === one.given)
  const before = others.slice(0, others.indexOf(other))
  return earlier.length === before.filter(({ thread, given }) => thread === one.lane && given === one.given).length
}
