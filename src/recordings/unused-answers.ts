import { sameLane } from './same-thread.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Recording } from './recording.ts'

/** Says which recorded answers a finished replay never asked for. What an engine asks for itself may differ by version. */
export function findUnasked({ lanes }: Recording, heard: Conversation): readonly string[] {
  return lanes.flatMap((lane, index) => {
    const asked = heard.lanes.find((one) => sameLane(lanes, index, heard.lanes, one))?.turns.length ?? 0
    if (lane.lane.startsWith('side:') || asked >= lane.turns.length) return []
    const who =
      lane.given === null ? 'the main thread' : `a sub-agent given ${JSON.stringify(lane.given.slice(0, 200))}`
    return [`${who} sent ${asked} of its ${lane.turns.length} requests and ended.`]
  })
}
