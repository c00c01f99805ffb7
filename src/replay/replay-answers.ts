import type { ReplaySource } from '../gateway/lease.ts'
import type { Recording } from '../recordings/recording.ts'

/** The answers of a recording, as the gateway plays them. */
export function replayAnswers({ credential, lanes, model, origin }: Recording): ReplaySource {
  return {
    kind: 'replay',
    credential,
    model: model.observed ?? origin,
    lanes: lanes.map(({ lane, given, turns }) => ({ lane, given, turns: turns.map(({ answer }) => answer) })),
  }
}
