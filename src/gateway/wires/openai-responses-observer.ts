import { isJsonObject } from '../../json.ts'
import { countOf, objectOf, objectsOf } from '../../json-fields.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { Usage } from '../../transcript/transcript.ts'
import { readOpenaiFailure } from './openai-failure.ts'
import { observeWith } from './server-events.ts'
import { DECLINED } from './wire.ts'
import type { ObservedAnswer, Wire } from './wire.ts'

/** Reads model, usage and error out of a response while it passes by. */
export const observeResponse: Wire['observe'] = observeWith(withEvent, observe)

function withEvent(seen: ObservedAnswer, event: JsonObject): ObservedAnswer {
  if (event['type'] === 'error')
    return { ...seen, failure: readOpenaiFailure({ error: event['error'] ?? event }) ?? seen.failure }
  if (event['type'] === 'response.refusal.done') return { ...seen, failure: DECLINED }
  if (!isJsonObject(event['response'])) return seen
  const now = observe(event['response'])
  return {
    model: now.model ?? seen.model,
    usage: now.usage ?? seen.usage,
    failure: now.failure ?? seen.failure,
    complete: seen.complete || now.complete,
  }
}

function observe(response: JsonObject): ObservedAnswer {
  const { model, status } = response
  return {
    model: typeof model === 'string' && model !== '' ? model : null,
    usage: responseUsage(response['usage']),
    failure: readOpenaiFailure(response) ?? (isDeclined(response) ? DECLINED : null),
    complete: status === 'completed' || status === 'incomplete',
  }
}

function isDeclined({ incomplete_details: details, output }: JsonObject): boolean {
  const parts = objectsOf(output).flatMap((item) => objectsOf(item['content']))
  return objectOf(details)['reason'] === 'content_filter' || parts.some(({ type }) => type === 'refusal')
}

/** Reads the usage of a response: what was cached is part of the input there, and apart here. */
export function responseUsage(value: JsonValue | undefined): Usage | null {
  if (!isJsonObject(value)) return null
  const details = objectOf(value['input_tokens_details'])
  const [read, written] = [countOf(details['cached_tokens']), countOf(details['cache_write_tokens'])]
  return {
    inputTokens: Math.max(0, countOf(value['input_tokens']) - read - written),
    outputTokens: countOf(value['output_tokens']),
    cacheReadTokens: read,
    cacheWriteTokens: written,
  }
}
