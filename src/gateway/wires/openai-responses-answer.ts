import { objectOf, objectsOf } from '../../json-fields.ts'
import type { JsonObject } from '../../json.ts'
import type { Usage } from '../../transcript/transcript.ts'
import type { AnswerBlock, ModelAnswer } from '../../conversation/model.ts'
import { itemOfCall } from './openai-responses-call.ts'

/** Writes an answer as one response. */
export function wholeResponse(answer: ModelAnswer): JsonObject {
  const isCut = answer.stopReason === 'max-tokens'
  return {
    ...frame(answer),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: answer.content.map((block, index) => itemOf(answer, block, index)),
    usage: usageOf(answer.usage),
  }
}

/** Writes an answer as the event stream of the API. */
export function responseEvents(answer: ModelAnswer): string {
  const whole = wholeResponse(answer)
  const events: readonly Event[] = [
    { type: 'response.created', response: { ...frame(answer), status: 'in_progress' } },
    ...answer.content.flatMap((block, index) => eventsOf(itemOf(answer, block, index), block, index)),
    { type: whole['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed', response: whole },
  ]
  return events
    .map((event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`)
    .join('')
}

type Event = JsonObject & { readonly type: string }

// The time of an answer that no model gave is no time.
function frame({ id, model }: ModelAnswer): JsonObject {
  return { id: id.replace(/^msg_/, 'resp_'), object: 'response', created_at: 0, model, error: null, output: [] }
}

function itemOf({ id, stopReason }: ModelAnswer, block: AnswerBlock, index: number): JsonObject {
  const name = `${id}_${index}`
  if (block.kind === 'tool-call') return itemOfCall(block)
  if (block.kind === 'thinking')
    return { type: 'reasoning', id: `rs_${name}`, summary: [{ type: 'summary_text', text: block.text }] }
  const messagePart =
    stopReason === 'refusal'
      ? { type: 'refusal', refusal: block.text }
      : { type: 'output_text', text: block.text, annotations: [] }
  return { type: 'message', id: `msg_${name}`, role: 'assistant', status: 'completed', content: [messagePart] }
}

function eventsOf(item: JsonObject, block: AnswerBlock, index: number): readonly Event[] {
  const isText = block.kind === 'text'
  const begun = isText ? { ...item, status: 'in_progress', content: [] } : item
  return [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...(isText ? textEvents(item, block.text, index) : []),
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

function textEvents(item: JsonObject, text: string, index: number): readonly Event[] {
  const at = { output_index: index, item_id: item['id'] ?? '', content_index: 0 }
  const part = objectOf(objectsOf(item['content'])[0])
  const field = part['type'] === 'refusal' ? 'refusal' : 'text'
  const kind = part['type'] === 'refusal' ? 'refusal' : 'output_text'
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, [field]: '' } },
    { type: `response.${kind}.delta`, ...at, delta: text },
    { type: `response.${kind}.done`, ...at, [field]: text },
    { type: 'response.content_part.done', ...at, part },
  ]
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): JsonObject {
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheReadTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + outputTokens,
  }
}
