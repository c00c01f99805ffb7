import { findId, type EngineTraffic } from './traffic.ts'
import type { Conversation } from './conversation.ts'
import type { JsonValue } from '../json.ts'
import type { AnswerBlock } from './model.ts'

/** What a recording writes instead of the id in the result of this call. */
export function idOfCall(callId: string): string {
  return `⟨id@${callId}⟩`
}

/** A conversation in which ids that an engine makes up in each run are named by the call that returned them. */
export function nameVolatileIds(
  { threads, unanswered }: Conversation,
  traffic: readonly EngineTraffic[],
): Conversation {
  const results = threads.flatMap(({ turns }) => turns.flatMap((turn) => turn.results))
  const names = new Map(
    results.flatMap(({ id, text }) => {
      const found = findId(traffic, text)
      return found === null ? [] : [[found, idOfCall(id)] as const]
    }),
  )
  if (names.size === 0) return { threads, unanswered }
  return {
    unanswered,
    threads: threads.map((thread) => ({
      ...thread,
      turns: thread.turns.map((turn) =>
        turn.answer === null
          ? turn
          : { ...turn, answer: { ...turn.answer, content: turn.answer.content.map((block) => nameIn(block, names)) } },
      ),
    })),
  }
}

function nameIn(block: AnswerBlock, names: ReadonlyMap<string, string>): AnswerBlock {
  return block.kind === 'tool-call' ? { ...block, input: replace(block.input, names) } : block
}

// Only whole values: the number of a process may be part of any other.
function replace(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string' || typeof value === 'number') return names.get(String(value)) ?? value
  if (Array.isArray(value)) return value.map((item: JsonValue) => replace(item, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item as JsonValue, names)]))
}
