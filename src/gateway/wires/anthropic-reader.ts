import { StringDecoder } from 'node:string_decoder'
import { isJsonObject } from '../../json.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { AnswerBlock, ModelAnswer, StopReason } from '../model.ts'
import { usageOf } from './anthropic-observer.ts'
import type { AnswerReader } from './wire.ts'

/** Puts an answer of the Messages API together, streamed or not. Signatures and encrypted thoughts are left out. */
export function readAnthropicAnswer(contentType: string): AnswerReader {
  return contentType.startsWith('text/event-stream') ? readEvents() : readMessage()
}

function readMessage(): AnswerReader {
  const chunks: Uint8Array[] = []
  return {
    chunk: (bytes) => void chunks.push(bytes),
    end: () => answerOf(parse(Buffer.concat(chunks).toString('utf8'))),
  }
}

function readEvents(): AnswerReader {
  const decoder = new StringDecoder('utf8')
  const blocks: JsonObject[] = []
  const inputs = new Map<number, string>()
  let rest = ''
  let message: JsonObject = {}
  let whole = false

  const take = (event: JsonObject): void => {
    const index = typeof event['index'] === 'number' ? event['index'] : -1
    const delta = objectOf(event['delta'])
    if (event['type'] === 'message_start') message = objectOf(event['message'])
    if (event['type'] === 'content_block_start') blocks[index] = objectOf(event['content_block'])
    if (event['type'] === 'content_block_delta') {
      if (delta['type'] === 'input_json_delta')
        inputs.set(index, (inputs.get(index) ?? '') + textOf(delta['partial_json']))
      else blocks[index] = withDelta(blocks[index] ?? {}, delta)
    }
    if (event['type'] === 'content_block_stop' && inputs.has(index))
      blocks[index] = { ...blocks[index], input: parse(inputs.get(index) ?? '') }
    if (event['type'] === 'message_delta') message = withEnd(message, delta, objectOf(event['usage']))
    if (event['type'] === 'message_stop') whole = true
  }

  return {
    chunk(bytes) {
      const lines = (rest + decoder.write(Buffer.from(bytes))).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data:')) take(parse(line.slice(5)))
    },
    end: () => (whole ? answerOf({ ...message, content: blocks }) : null),
  }
}

function withDelta(block: JsonObject, delta: JsonObject): JsonObject {
  if (delta['type'] === 'text_delta') return { ...block, text: textOf(block['text']) + textOf(delta['text']) }
  if (delta['type'] === 'thinking_delta')
    return { ...block, thinking: textOf(block['thinking']) + textOf(delta['thinking']) }
  return block
}

function withEnd(message: JsonObject, delta: JsonObject, usage: JsonObject): JsonObject {
  return { ...message, ...delta, usage: { ...objectOf(message['usage']), ...usage } }
}

function answerOf(message: JsonObject): ModelAnswer | null {
  const { content } = message
  if (!Array.isArray(content)) return null
  const usage = usageOf(message['usage'], null)
  return {
    id: textOf(message['id']),
    model: textOf(message['model']),
    content: content.filter(isJsonObject).flatMap(blockOf),
    stopReason: STOP_REASONS.get(textOf(message['stop_reason'])) ?? 'end-turn',
    usage: usage ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  }
}

function blockOf(block: JsonObject): readonly AnswerBlock[] {
  const type = textOf(block['type'])
  if (type === 'text') return [{ kind: 'text', text: textOf(block['text']) }]
  if (type === 'thinking') return [{ kind: 'thinking', text: textOf(block['thinking']) }]
  if (type !== 'tool_use') return []
  return [{ kind: 'tool-call', id: textOf(block['id']), name: textOf(block['name']), input: block['input'] ?? {} }]
}

const STOP_REASONS = new Map<string, StopReason>([
  ['end_turn', 'end-turn'],
  ['stop_sequence', 'end-turn'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'max-tokens'],
  ['refusal', 'refusal'],
])

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

function parse(text: string): JsonObject {
  try {
    const value: JsonValue = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
