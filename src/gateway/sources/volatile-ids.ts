import type { JsonValue } from '../../json.ts'
import { findId, type EngineTraffic } from '../../conversation/traffic.ts'
import { idOfCall } from '../../conversation/volatile-ids.ts'
import type { ModelRequest } from '../../conversation/model.ts'

/** Puts the ids of this session where an answer names them by their call, or the latest of all as `${LAST_ID}`. */
export function withVolatileIds<T>(
  answer: T,
  { messages }: Pick<ModelRequest, 'messages'>,
  traffic: readonly EngineTraffic[],
): T {
  const text = JSON.stringify(answer)
  if (!text.includes('⟨id@') && !text.includes(LAST_ID)) return answer
  const results = messages.flatMap(({ parts }) => parts).filter((part) => part.kind === 'tool-result')
  const ids = results.flatMap(({ id, text: result }) => {
    const found = findId(traffic, result)
    return found === null ? [] : [[idOfCall(id), found] as const]
  })
  return replace(answer as JsonValue, new Map([...ids, [LAST_ID, ids.at(-1)?.[1] ?? LAST_ID]])) as T
}

const LAST_ID = '${LAST_ID}'

function replace(value: JsonValue, ids: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string') return replaceIn(value, ids)
  if (Array.isArray(value)) return value.map((item: JsonValue) => replace(item, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item as JsonValue, ids)]))
}

// The id of a process is a number.
function replaceIn(text: string, ids: ReadonlyMap<string, string>): JsonValue {
  const whole = ids.get(text)
  if (whole !== undefined) return /^\d+$/.test(whole) ? Number(whole) : whole
  return [...ids].reduce((rest, [name, id]) => rest.replaceAll(name, id), text)
}
