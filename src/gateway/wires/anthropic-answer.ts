import type { JsonObject } from '../../json.ts'
import type { Usage } from '../../transcript/transcript.ts'
import type { AnswerBlock, ModelAnswer, StopReason } from '../../conversation/model.ts'

/** Writes an answer as one Message. */
export function answerMessage(answer: ModelAnswer): JsonObject {
  return {
    ...emptyMessage(answer),
    content: answer.content.map(wholeBlock),
    stop_reason: STOP_REASONS[answer.stopReason],
    usage: usageOf(answer.usage),
  }
}

/** Writes an answer as the event stream of the API. */
export function answerEvents(answer: ModelAnswer): string {
  const usage = usageOf(answer.usage)
  const events: (JsonObject & { readonly type: string })[] = [
    { type: 'message_start', message: { ...emptyMessage(answer), usage } },
    { type: 'ping' },
    ...answer.content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason: STOP_REASONS[answer.stopReason], stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

function emptyMessage(answer: ModelAnswer): JsonObject {
  return {
    id: answer.id,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  }
}

function wholeBlock(block: AnswerBlock): JsonObject {
  if (block.kind === 'text') return { type: 'text', text: block.text }
  if (block.kind === 'thinking') return { type: 'thinking', thinking: block.text, signature: '' }
  return { type: 'tool_use', id: block.id, name: block.name, input: block.input }
}

function blockEvents(block: AnswerBlock, index: number): readonly (JsonObject & { readonly type: string })[] {
  const [start, delta] = openedBlock(block)
  return [
    { type: 'content_block_start', index, content_block: start },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ]
}

function openedBlock(block: AnswerBlock): readonly [start: JsonObject, delta: JsonObject] {
  if (block.kind === 'text')
    return [
      { type: 'text', text: '' },
      { type: 'text_delta', text: block.text },
    ]
  if (block.kind === 'thinking')
    return [
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: block.text },
    ]
  return [
    { type: 'tool_use', id: block.id, name: block.name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
  ]
}

function usageOf(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
  }
}

const STOP_REASONS: Readonly<Record<StopReason, string>> = {
  'end-turn': 'end_turn',
  'tool-calls': 'tool_use',
  'max-tokens': 'max_tokens',
  refusal: 'refusal',
}
