import { SUB_AGENT_ENDED } from '../../conversation/thread.ts'
import type { ModelAnswer, ModelRequest } from '../../conversation/model.ts'

/** The answer to a request that needs none and that no source knows before; `null` for every other. */
export function emptyAnswer({ thread }: Pick<ModelRequest, 'thread'>, model: string): ModelAnswer | null {
  if (thread.kind !== 'side' || thread.name !== SUB_AGENT_ENDED) return null
  return {
    id: `msg_${SUB_AGENT_ENDED}`,
    model,
    content: [],
    stopReason: 'end-turn',
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  }
}
