import { countOf, isJsonObject, objectOf, stringOf, type JsonObject, type JsonValue } from '../../lib/json.ts'
import type { AnswerBlock, ModelAnswer, StopReason } from '../../recordings/messages.ts'
import { parseJson } from '../body.ts'
import type { PaidUsage } from '../budget/price.ts'
import {
  createBodyReader,
  createEventReader,
  inOrder,
  isEventStream,
  observeWith,
  DECLINED,
  type AnswerReader,
  type ObservedAnswer,
  type Wire,
} from './wire.ts'

/** Puts an answer of the Messages API together, streamed or not. Signatures and encrypted thoughts are left out. */
export function readAnthropicAnswer(contentType: string): AnswerReader {
  const reader = readAnthropicMessage(contentType)
  return {
    chunk: (bytes) => reader.chunk(bytes),
    end() {
      const message = reader.end()
      return message === null ? null : answerOf(message)
    },
    part: () => reader.part().flatMap(blockOf),
  }
}

/** Takes the bytes of one answer. */
interface MessageReader {
  chunk(bytes: Uint8Array): void
  /** `null` when it was no whole answer. */
  end(): JsonObject | null
  /** The blocks of an answer that is not whole. */
  part(): readonly JsonObject[]
}

/**
 * As {@link readAnthropicAnswer}, with everything that the API sent, as an answer that is not streamed has it. The `input`
 * of a call that cannot be read is `null`.
 */
export function readAnthropicMessage(contentType: string): MessageReader {
  return isEventStream(contentType) ? readEvents() : { ...createBodyReader(), part: () => [] }
}

function readEvents(): MessageReader {
  // A list would grow to whatever index an API sends.
  const blocks = new Map<number, JsonObject>()
  const inputs = new Map<number, string>()
  let message: JsonObject = {}
  let ends = 0
  let whole = false

  const take = (event: JsonObject): void => {
    const index = typeof event['index'] === 'number' ? event['index'] : -1
    const delta = objectOf(event['delta'])
    if (event['type'] === 'message_start') message = objectOf(event['message'])
    if (event['type'] === 'content_block_start') blocks.set(index, objectOf(event['content_block']))
    if (event['type'] === 'content_block_delta') {
      if (delta['type'] === 'input_json_delta')
        inputs.set(index, (inputs.get(index) ?? '') + stringOf(delta['partial_json']))
      else blocks.set(index, withDelta(blocks.get(index) ?? {}, delta))
    }
    if (event['type'] === 'content_block_stop' && inputs.has(index))
      blocks.set(index, { ...blocks.get(index), input: inputOf(inputs.get(index) ?? '') })
    // An answer has a few of these; each could add fields without end.
    if (event['type'] === 'message_delta' && ++ends <= MAX_ENDS)
      message = withEnd(message, delta, objectOf(event['usage']))
    if (event['type'] === 'message_stop') whole = true
  }

  const chunk = createEventReader(take)
  return {
    chunk,
    part: () => inOrder(blocks),
    end: () => (whole ? { ...message, content: inOrder(blocks) } : null),
  }
}

const MAX_ENDS = 100

function inputOf(text: string): JsonObject | null {
  const value = parseJson(text === '' ? '{}' : text) ?? null
  return isJsonObject(value) ? value : null
}

function withDelta(block: JsonObject, delta: JsonObject): JsonObject {
  if (delta['type'] === 'text_delta') return { ...block, text: stringOf(block['text']) + stringOf(delta['text']) }
  if (delta['type'] === 'thinking_delta')
    return { ...block, thinking: stringOf(block['thinking']) + stringOf(delta['thinking']) }
  if (delta['type'] === 'signature_delta') return { ...block, signature: stringOf(delta['signature']) }
  return block
}

function withEnd(message: JsonObject, delta: JsonObject, usage: JsonObject): JsonObject {
  return { ...message, ...delta, usage: { ...objectOf(message['usage']), ...usage } }
}

function answerOf(message: JsonObject): ModelAnswer | null {
  const { content } = message
  if (!Array.isArray(content)) return null
  const { cacheWriteHourTokens: _hour, webSearches: _web, ...usage } = usageOf(message['usage'], null) ?? NOTHING_USED
  return {
    id: stringOf(message['id']),
    model: stringOf(message['model']),
    content: content.filter(isJsonObject).flatMap(blockOf),
    stopReason: STOP_REASONS.get(stringOf(message['stop_reason'])) ?? 'end-turn',
    usage,
  }
}

const NOTHING_USED: PaidUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

function blockOf(block: JsonObject): readonly AnswerBlock[] {
  const type = stringOf(block['type'])
  if (type === 'text') return [{ kind: 'text', text: stringOf(block['text']) }]
  if (type === 'thinking') return [{ kind: 'thinking', text: stringOf(block['thinking']) }]
  if (type === 'redacted_thinking') return []
  if (type !== 'tool_use') return [{ kind: 'other', type, value: withoutSecrets(block) }]
  return [{ kind: 'tool-call', id: stringOf(block['id']), name: stringOf(block['name']), input: block['input'] ?? {} }]
}

// What the API found on the web comes with a text that it alone can read.
function withoutSecrets(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === 'encrypted_content' ? '' : withoutSecrets(one ?? null)]),
  )
}

const STOP_REASONS = new Map<string, StopReason>([
  ['end_turn', 'end-turn'],
  ['stop_sequence', 'end-turn'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'max-tokens'],
  ['refusal', 'refusal'],
])

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
function usageOf(value: JsonValue | undefined, earlier: PaidUsage | null): PaidUsage | null {
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
