import type { JsonValue } from '../../json.ts'
import { textsOf } from '../../conversation/model.ts'
import type { ModelRequest } from '../../conversation/model.ts'

/** Stands in a stored answer for the nonce of the request that it answers. */
export const NONCE_PLACEHOLDER = '${NONCE}'

/** The line with which a request asks for its nonce in the answer, as a proof that it was read. */
export function nonceLine(nonce: string): string {
  return `nonce: ${nonce}`
}

/** Puts the nonce of a request into an answer that was written before there was one. */
export function withNonce<T>(answer: T, request: Pick<ModelRequest, 'messages'>): T {
  const nonce = nonceOf(request)
  return nonce === null ? answer : (replace(answer as JsonValue, nonce) as T)
}

// Ours is the first line; what follows may be anything that an agent wrote.
function nonceOf({ messages }: Pick<ModelRequest, 'messages'>): string | null {
  const texts = textsOf(messages.find((message) => message.role === 'user'))
  return texts.map((text) => /^nonce: ([0-9a-f]{32})$/m.exec(text)?.[1]).find((found) => found !== undefined) ?? null
}

function replace(value: JsonValue, nonce: string): JsonValue {
  if (typeof value === 'string') return value.replaceAll(NONCE_PLACEHOLDER, nonce)
  if (Array.isArray(value)) return value.map((item: JsonValue) => replace(item, nonce))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === undefined ? item : replace(item, nonce)]),
  )
}
