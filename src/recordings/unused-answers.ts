import { sameThread } from './same-thread.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Recording } from './recording.ts'

/** Says which recorded answers a finished replay never asked for. What an engine asks for itself may differ by version. */
export function findUnusedAnswers({ lanes: threads }: Recording, observed: Conversation): readonly string[] {
  return threads.flatMap((thread, index) => {
    const asked = observed.threads.find((one) => sameThread(threads, index, observed.threads, one))?.turns.length ?? 0
    if (thread.lane.startsWith('side:') || asked >= thread.turns.length) return []
    const who =
      thread.given === null ? 'the main thread' : `a sub-agent given ${JSON.stringify(thread.given.slice(0, 200))}`
    return [`${who} sent ${asked} of its ${thread.turns.length} requests and ended.`]
  })
}
