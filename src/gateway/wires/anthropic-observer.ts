import { isJsonObject } from '../../json.ts'
import { countOf, objectOf, stringOf } from '../../json-fields.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { PaidUsage } from '../budget/price.ts'
import { observeWith } from './server-events.ts'
import { DECLINED } from './wire.ts'
import type { ObservedAnswer, Wire } from './wire.ts'

/** Reads model, usage and error out of an answer of the Messages API while it passes by. */
export const observeAnthropic: Wire['observe'] = observeWith(withEvent, ofMessage)

function withEvent(seen: ObservedAnswer, event: JsonObject): ObservedAnswer {
  if (event['type'] === 'message_start' && isJsonObject(event['message']))
    return { ...seen, model: modelOf(event['message']), usage: usageOf(event['message']['usage'], seen.usage) }
  if (event['type'] === 'message_delta') {
    const failure = isDeclined(objectOf(event['delta'])) ? DECLINED : seen.failure
    return { ...seen, usage: usageOf(event['usage'], seen.usage), failure }
  }
  if (event['type'] === 'message_stop') return { ...seen, complete: true }
  if (event['type'] === 'error') return { ...seen, failure: failureOf(event) }
  return seen
}

function ofMessage(message: JsonObject): ObservedAnswer {
  return {
    model: modelOf(message),
    usage: usageOf(message['usage'], null),
    failure: isDeclined(message) ? DECLINED : failureOf(message),
    complete: message['type'] === 'message',
  }
}

function isDeclined({ stop_reason: reason }: JsonObject): boolean {
  return reason === 'refusal'
}

function modelOf(message: JsonObject): string | null {
  return typeof message['model'] === 'string' ? message['model'] : null
}

/** Later numbers of a stream replace earlier ones: the API counts up. */
export function usageOf(value: JsonValue | undefined, earlier: PaidUsage | null): PaidUsage | null {
  if (!isJsonObject(value)) return earlier
  const count = (name: string, before: number | undefined): number => {
    const number = value[name]
    return number === undefined || number === null ? (before ?? 0) : countOf(number)
  }
  return {
    inputTokens: count('input_tokens', earlier?.inputTokens),
    outputTokens: count('output_tokens', earlier?.outputTokens),
    cacheReadTokens: count('cache_read_input_tokens', earlier?.cacheReadTokens),
    cacheWriteTokens: count('cache_creation_input_tokens', earlier?.cacheWriteTokens),
    ...positive('cacheWriteHourTokens', objectOf(value['cache_creation'])['ephemeral_1h_input_tokens'], earlier),
    ...positive('webSearches', objectOf(value['server_tool_use'])['web_search_requests'], earlier),
  }
}

// Most answers have neither.
function positive(
  name: 'cacheWriteHourTokens' | 'webSearches',
  value: JsonValue | undefined,
  earlier: PaidUsage | null,
): Partial<PaidUsage> {
  const count = value === undefined || value === null ? (earlier?.[name] ?? 0) : countOf(value)
  return count === 0 ? {} : { [name]: count }
}

function failureOf(body: JsonObject): ObservedAnswer['failure'] {
  const error = body['error']
  if (!isJsonObject(error)) return null
  return { type: stringOf(error['type']), message: stringOf(error['message']) }
}
