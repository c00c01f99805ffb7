import {
  countOf,
  isJsonObject,
  objectOf,
  stringOf,
  tryParseJson,
  type JsonObject,
  type JsonValue,
} from '../../lib/json.ts'
import type { AnswerBlock, ModelAnswer, StopReason } from '../../recordings/messages.ts'
import type { PaidUsage } from '../budget/price.ts'
import { NO_USAGE } from '../../transcript/transcript.ts'
import {
  createBodyReader,
  createEventReader,
  inOrder,
  isEventStream,
  readerOf,
  DECLINED,
  type EventReader,
  type ObservedAnswer,
  type Wire,
} from './wire.ts'

/** Reads answers of the Messages API, streamed or not. Signatures and encrypted thoughts are left out. */
export const readAnthropicAnswer: Wire['readAnswer'] = readerOf(readEvents, (message) => ({
  seen: () => ({ ...factsOf(message), complete: message['type'] === 'message' }),
  whole: () => answerOf(message),
}))

function readEvents(): EventReader {
  const { take, message, blocks } = gatherMessage()
  let failure: ObservedAnswer['failure'] = null
  let isOver = false
  return {
    take(event) {
      take(event)
      if (event['type'] === 'error') failure = failureOf(event)
      if (event['type'] === 'message_stop') isOver = true
    },
    seen() {
      const facts = factsOf(message())
      return { ...facts, failure: failure ?? facts.failure, complete: isOver }
    },
    whole: () => (isOver ? answerOf(message()) : null),
    part: () => blocks().flatMap(blockOf),
  }
}

/** Takes the bytes of one answer. */
interface MessageReader {
  chunk(bytes: Uint8Array): void
  /** `null` when it was no whole answer. */
  end(): JsonObject | null
}

/**
 * As {@link readAnthropicAnswer}, with everything that the API sent, as an answer that is not streamed has it. The `input`
 * of a call that cannot be read is `null`.
 */
export function readAnthropicMessage(contentType: string): MessageReader {
  if (!isEventStream(contentType)) return createBodyReader()
  const { take, message } = gatherMessage()
  let isOver = false
  const chunk = createEventReader((event) => {
    take(event)
    if (event['type'] === 'message_stop') isOver = true
  })
  return { chunk, end: () => (isOver ? message() : null) }
}

/** A message whose events are put together. */
interface GatheredMessage {
  readonly take: (event: JsonObject) => void
  readonly message: () => JsonObject
  readonly blocks: () => readonly JsonObject[]
}

function gatherMessage(): GatheredMessage {
  const blocks = new Map<number, JsonObject>()
  const inputs = new Map<number, string>()
  let message: JsonObject = {}
  return {
    take(event) {
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
      if (event['type'] === 'message_delta') message = withEnd(message, delta, objectOf(event['usage']))
    },
    message: () => ({ ...message, content: inOrder(blocks) }),
    blocks: () => inOrder(blocks),
  }
}

function inputOf(text: string): JsonObject | null {
  const value = tryParseJson(text === '' ? '{}' : text)
  return isJsonObject(value) ? value : null
}

function withDelta(block: JsonObject, delta: JsonObject): JsonObject {
  if (delta['type'] === 'text_delta') return { ...block, text: stringOf(block['text']) + stringOf(delta['text']) }
  if (delta['type'] === 'thinking_delta')
    return { ...block, thinking: stringOf(block['thinking']) + stringOf(delta['thinking']) }
  if (delta['type'] === 'signature_delta') return { ...block, signature: stringOf(delta['signature']) }
  return block
}

// Later numbers replace earlier ones: the API counts up.
function withEnd(message: JsonObject, delta: JsonObject, usage: JsonObject): JsonObject {
  const counted = Object.entries(usage).filter(([, value]) => value !== null)
  if (counted.length === 0) return { ...message, ...delta }
  return { ...message, ...delta, usage: { ...objectOf(message['usage']), ...Object.fromEntries(counted) } }
}

function answerOf(message: JsonObject): ModelAnswer | null {
  const { content } = message
  if (!Array.isArray(content)) return null
  const paid: PaidUsage = usageOf(message['usage']) ?? NO_USAGE
  const { cacheWriteHourTokens: _hour, webSearches: _web, ...usage } = paid
  return {
    id: stringOf(message['id']),
    model: stringOf(message['model']),
    content: content.filter(isJsonObject).flatMap(blockOf),
    stopReason: STOP_REASONS.get(stringOf(message['stop_reason'])) ?? 'end-turn',
    usage,
  }
}

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

function factsOf(message: JsonObject): Pick<ObservedAnswer, 'failure' | 'model' | 'usage'> {
  return {
    model: typeof message['model'] === 'string' ? message['model'] : null,
    usage: usageOf(message['usage']),
    failure: message['stop_reason'] === 'refusal' ? DECLINED : failureOf(message),
  }
}

function usageOf(value: JsonValue | undefined): PaidUsage | null {
  if (!isJsonObject(value)) return null
  const hour = countOf(objectOf(value['cache_creation'])['ephemeral_1h_input_tokens'])
  const searches = countOf(objectOf(value['server_tool_use'])['web_search_requests'])
  return {
    inputTokens: countOf(value['input_tokens']),
    outputTokens: countOf(value['output_tokens']),
    cacheReadTokens: countOf(value['cache_read_input_tokens']),
    cacheWriteTokens: countOf(value['cache_creation_input_tokens']),
    // Most answers have neither.
    ...(hour === 0 ? {} : { cacheWriteHourTokens: hour }),
    ...(searches === 0 ? {} : { webSearches: searches }),
  }
}

function failureOf(body: JsonObject): ObservedAnswer['failure'] {
  const error = body['error']
  if (!isJsonObject(error)) return null
  return { type: stringOf(error['type']), message: stringOf(error['message']) }
}
