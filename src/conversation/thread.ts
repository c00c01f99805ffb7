import { textsOf } from './model.ts'
import { sha256 } from '../sha256.ts'
import type { Thread, ModelMessage, ModelRequest } from './model.ts'

/**
 * Thread of a request by which an engine only tells its model, which has answered already, that a sub-agent has ended. It
 * comes in some runs and not in others.
 */
export const SUB_AGENT_ENDED = 'sub-agent-ended'

/** What the thread is read from. */
export interface ThreadClues {
  /** Id of the sub-agent that asks, as the engine's header has it; `null` on the main thread. */
  readonly agentId: string | null
  readonly system: readonly string[]
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly string[]
}

/** Tells the thread of a request. What the CLI writes itself decides between main and side only, never the key. */
export function threadOf(clues: ThreadClues): Thread {
  if (clues.agentId !== null) return { kind: 'agent', id: clues.agentId, prompt: givenPrompt(clues.messages) }
  const name = sideCall(clues)
  return name === null ? { kind: 'main' } : { kind: 'side', name }
}

/** The texts that may be the delegated prompt: those of the first user message. */
export function openingTexts(request: Pick<ModelRequest, 'messages'>): readonly string[] {
  return textsOf(request.messages.find((message) => message.role === 'user'))
}

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
  return sha256(JSON.stringify([system, messages, tools]))
}

/** What tells the answers of a resumed session from those before it, which are in its requests: their ids must differ. */
export function markResumed({ messages }: Pick<ModelRequest, 'messages'>, turn: number): string {
  const before = messages.filter(({ role }) => role === 'assistant').length - turn
  return before > 0 ? `+${before}` : ''
}

function givenPrompt(messages: readonly ModelMessage[]): string {
  const texts = openingTexts({ messages }).filter((text) => !text.trimStart().startsWith('<system-reminder>'))
  return (texts.at(-1) ?? '').trim()
}

function sideCall({ system, messages, tools }: ThreadClues): string | null {
  const words = system.join('\n')
  for (const [name, opening] of SIDE_SYSTEMS) if (words.includes(opening)) return name
  const last = textsOf(messages.findLast((message) => message.role === 'user')).at(-1) ?? ''
  if (last.startsWith('CRITICAL: Respond with TEXT ONLY')) return 'compact'
  const main = MAIN_SYSTEMS.some((opening) => words.includes(opening))
  return tools.length === 0 && words.includes('Claude Code') && !main ? 'other' : null
}

const SIDE_SYSTEMS = [
  ['hook', 'You are evaluating a hook in Claude Code'],
  // Those of `stop` and `sub-agent-end` are sent below the whole conversation.
  ['hook', 'You are evaluating a stop-condition hook in Claude Code'],
  ['web-search', 'You run a web search for another Claude model'],
] as const

const MAIN_SYSTEMS = ['You are a Claude agent', 'You are Claude Code'] as const
