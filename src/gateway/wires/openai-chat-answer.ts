import type { JsonObject } from '../../json.ts'
import type { Usage } from '../../transcript/transcript.ts'
import type { ModelAnswer, StopReason } from '../../conversation/model.ts'

/** Writes an answer as one completion. */
export function completion(answer: ModelAnswer): JsonObject {
  const message = { role: 'assistant', content: textOf(answer), refusal: null, ...callsOf(answer) }
  return {
    ...frame(answer, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[answer.stopReason] }],
    usage: usageOf(answer.usage),
  }
}

/** Writes an answer as the event stream of the API. */
export function completionEvents(answer: ModelAnswer): string {
  const text = textOf(answer)
  const { tool_calls: calls = [] } = callsOf(answer)
  const deltas: readonly JsonObject[] = [
    { role: 'assistant', content: '' },
    ...(text === null ? [] : [{ content: text }]),
    ...calls.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ]
  const choice = (delta: JsonObject, reason: string | null): JsonObject => {
    return { ...frame(answer, CHUNK), choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] }
  }
  const events = [
    ...deltas.map((delta) => choice(delta, null)),
    choice({}, FINISH_REASONS[answer.stopReason]),
    { ...frame(answer, CHUNK), choices: [], usage: usageOf(answer.usage) },
  ]
  return [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((line) => `data: ${line}\n\n`).join('')
}

const CHUNK = 'chat.completion.chunk'

// The time of an answer that no model gave is no time.
function frame({ id, model }: ModelAnswer, object: string): JsonObject {
  return { id, object, created: 0, model }
}

// Thoughts are no part of this API.
function textOf({ content }: ModelAnswer): string | null {
  const texts = content.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  return texts.length === 0 ? null : texts.join('')
}

function callsOf({ content }: ModelAnswer): { readonly tool_calls?: readonly JsonObject[] } {
  const calls = content.flatMap((block) =>
    block.kind === 'tool-call'
      ? [
          {
            id: block.id,
            type: 'function',
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  )
  return calls.length === 0 ? {} : { tool_calls: calls }
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): JsonObject {
  const prompt = inputTokens + cacheReadTokens + cacheWriteTokens
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens,
    total_tokens: prompt + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
  }
}

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  'end-turn': 'stop',
  'tool-calls': 'tool_calls',
  'max-tokens': 'length',
  refusal: 'content_filter',
}
