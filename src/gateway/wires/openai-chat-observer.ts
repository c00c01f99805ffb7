import { isJsonObject } from '../../json.ts'
import { countOf, objectOf, objectsOf, stringOf } from '../../json-fields.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { Usage } from '../../transcript/transcript.ts'
import { readOpenaiFailure } from './openai-failure.ts'
import { observeWith } from './server-events.ts'
import { DECLINED } from './wire.ts'
import type { ObservedAnswer, Wire } from './wire.ts'

/** Reads model, usage and error out of a completion while it passes by. */
export const observeChat: Wire['observe'] = observeWith(withEvent, ofCompletion)

// Usage comes last, in an event without choices, and only for who asked for it.
function withEvent(seen: ObservedAnswer, event: JsonObject): ObservedAnswer {
  const isEnd = objectsOf(event['choices']).some(({ finish_reason: reason }) => typeof reason === 'string')
  return {
    model: modelOf(event) ?? seen.model,
    usage: chatUsage(event['usage']) ?? seen.usage,
    failure: readOpenaiFailure(event) ?? (isDeclined(event, 'delta') ? DECLINED : seen.failure),
    complete: seen.complete || isEnd,
  }
}

function ofCompletion(answer: JsonObject): ObservedAnswer {
  return {
    model: modelOf(answer),
    usage: chatUsage(answer['usage']),
    failure: readOpenaiFailure(answer) ?? (isDeclined(answer, 'message') ? DECLINED : null),
    complete: Array.isArray(answer['choices']),
  }
}

function isDeclined({ choices }: JsonObject, part: 'delta' | 'message'): boolean {
  return objectsOf(choices).some(
    (choice) => choice['finish_reason'] === 'content_filter' || stringOf(objectOf(choice[part])['refusal']) !== '',
  )
}

function modelOf({ model }: JsonObject): string | null {
  return typeof model === 'string' && model !== '' ? model : null
}

/** Reads the usage of a completion: what was cached is part of the prompt there, and apart here. */
export function chatUsage(value: JsonValue | undefined): Usage | null {
  if (!isJsonObject(value)) return null
  const cached = countOf(objectOf(value['prompt_tokens_details'])['cached_tokens'])
  return {
    inputTokens: Math.max(0, countOf(value['prompt_tokens']) - cached),
    outputTokens: countOf(value['completion_tokens']),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
  }
}
