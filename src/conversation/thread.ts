import { sha256, sha256OfJson } from '../sha256.ts'
import type { Thread, ModelRequest } from './model.ts'

/**
 * Thread of a request by which an engine only tells its model, which has answered already, that a sub-agent has ended. It
 * comes in some runs and not in others.
 */
export const SUB_AGENT_ENDED = 'sub-agent-ended'

/**
 * Names threads the same way in every run: `main`, `agent:<hash of the given prompt>#<slot>`, `side:<name>`.
 * The slot tells sub-agents with equal prompts apart, by first appearance.
 */
export function createThreadKeys(): (thread: Thread) => string {
  const keys = new Map<string, string>()
  const slots = new Map<string, number>()
  return (thread) => {
    if (thread.kind === 'main') return 'main'
    if (thread.kind === 'side') return `side:${thread.name}`
    const known = keys.get(thread.id)
    if (known !== undefined) return known
    const name = `agent:${sha256(thread.prompt, 12)}`
    const slot = slots.get(name) ?? 0
    slots.set(name, slot + 1)
    const key = `${name}#${slot}`
    keys.set(thread.id, key)
    return key
  }
}

/** Identifies what is asked, so that a retry and a non-streaming fallback are the same request. */
export function fingerprint(request: ModelRequest): string {
  const { system, messages, tools } = request
  return sha256OfJson([system, messages, tools])
}

/** What tells the answers of a resumed session from those before it, which are in its requests: their ids must differ. */
export function markResumed({ messages }: Pick<ModelRequest, 'messages'>, turn: number): string {
  const before = messages.filter(({ role }) => role === 'assistant').length - turn
  return before > 0 ? `+${before}` : ''
}
