import type { ReplaySource } from '../gateway/leases/lease.ts'
import type { Recording } from '../recordings/recording.ts'

/** The answers of a recording, as the gateway plays them. */
export function replayAnswers({ credential, lanes: threads, model, origin }: Recording): ReplaySource {
  return {
    kind: 'replay',
    credential,
    model: model.observed ?? origin,
    threads: threads.map(({ lane: thread, given, turns }) => ({
      thread,
      given,
      turns: turns.map(({ answer }) => answer),
    })),
  }
}
