import {
  countOf,
  isJsonObject,
  objectOf,
  objectsOf,
  stringOf,
  type JsonObject,
  type JsonValue,
} from '../../lib/json.ts'
import type { AnswerBlock, ModelAnswer, StopReason } from '../../recordings/messages.ts'
import type { Usage } from '../../transcript/transcript.ts'
import { NO_USAGE } from '../../transcript/transcript.ts'
import { readOpenaiFailure } from './openai.ts'
import { readerOf, DECLINED, type EventReader, type ObservedAnswer, type Wire } from './wire.ts'

/** Reads a response, streamed or not. Encrypted thoughts are left out. */
export const readResponse: Wire['readAnswer'] = readerOf(readEvents, (response) => ({
  seen: () => observe(response),
  whole: () => answerOf(response, []),
}))

function readEvents(): EventReader {
  const items: JsonObject[] = []
  let response: JsonObject = {}
  let failure: ObservedAnswer['failure'] = null
  return {
    take(event) {
      const { type } = event
      if (type === 'response.output_item.done') items.push(objectOf(event['item']))
      if (type === 'error') failure = readOpenaiFailure({ error: event['error'] ?? event }) ?? failure
      if (type === 'response.refusal.done') failure = DECLINED
      if (isJsonObject(event['response'])) response = { ...response, ...withoutNulls(event['response']) }
    },
    seen() {
      const now = observe(response)
      return { ...now, failure: now.failure ?? failure }
    },
    whole: () => answerOf(response, items),
    part: () => items.flatMap(blocksOf),
  }
}

// An event may leave out what an earlier one said.
function withoutNulls(response: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(response).filter(([, value]) => value !== null))
}

// Some servers repeat no item in the last event of a stream.
function answerOf(response: JsonObject, streamed: readonly JsonObject[]): ModelAnswer | null {
  const { status } = response
  if (status !== 'completed' && status !== 'incomplete') return null
  const whole = objectsOf(response['output'])
  const items = whole.length === 0 ? streamed : whole
  return {
    id: stringOf(response['id']),
    model: stringOf(response['model']),
    content: items.flatMap(blocksOf),
    stopReason: stopReasonOf(response, items),
    usage: responseUsage(response['usage']) ?? NO_USAGE,
  }
}

function blocksOf(item: JsonObject): readonly AnswerBlock[] {
  const call = callOfItem(item)
  if (call !== null) return [call]
  if (item['type'] === 'reasoning') {
    const text = objectsOf(item['summary'])
      .map((part) => stringOf(part['text']))
      .join('\n\n')
    return text === '' ? [] : [{ kind: 'thinking', text }]
  }
  if (item['type'] !== 'message') {
    const { encrypted_content: _encrypted, ...value } = item
    return [{ kind: 'other', type: stringOf(item['type']), value }]
  }
  const text = objectsOf(item['content']).map((part) => stringOf(part['text']) || stringOf(part['refusal']))
  return [{ kind: 'text', text: text.join('') }]
}

function stopReasonOf(response: JsonObject, items: readonly JsonObject[]): StopReason {
  const reason = stringOf(objectOf(response['incomplete_details'])['reason'])
  if (reason === 'max_output_tokens') return 'max-tokens'
  const parts = items.flatMap((item) => objectsOf(item['content']))
  if (reason === 'content_filter' || parts.some(({ type }) => type === 'refusal')) return 'refusal'
  return items.some((item) => callOfItem(item) !== null) ? 'tool-calls' : 'end-turn'
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
function responseUsage(value: JsonValue | undefined): Usage | null {
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

type Call = Extract<AnswerBlock, { kind: 'tool-call' }>

/**
 * Reads an item that calls a tool; `null` when it is none. A tool in a namespace is `namespace.name`: no name holds a
 * dot. The input of a tool that takes free text is that text.
 */
export function callOfItem(item: JsonObject): Call | null {
  const id = stringOf(item['call_id']) || stringOf(item['id'])
  const space = stringOf(item['namespace'])
  const name = `${space === '' ? '' : `${space}.`}${stringOf(item['name'])}`
  switch (item['type']) {
    case 'function_call':
      return { kind: 'tool-call', id, name, input: parseArguments(stringOf(item['arguments'])) }
    case 'custom_tool_call':
      return { kind: 'tool-call', id, name, input: stringOf(item['input']) }
    case 'tool_search_call':
      return { kind: 'tool-call', id, name: TOOL_SEARCH, input: item['arguments'] ?? {} }
    default:
      return null
  }
}

/** Writes a call as the API does. */
export function itemOfCall({ id, name, input }: Call): JsonObject {
  const shared = { id: `item_${id}`, call_id: id, status: 'completed' }
  if (name === TOOL_SEARCH) return { type: 'tool_search_call', ...shared, execution: 'client', arguments: input }
  const dot = name.indexOf('.')
  const named = dot < 0 ? { name } : { name: name.slice(dot + 1), namespace: name.slice(0, dot) }
  return typeof input === 'string'
    ? { type: 'custom_tool_call', ...shared, ...named, input }
    : { type: 'function_call', ...shared, ...named, arguments: JSON.stringify(input) }
}

/** The tool by which a model finds further tools. It has an item of its own. */
const TOOL_SEARCH = 'tool_search'

function parseArguments(text: string): JsonValue {
  if (text.trim() === '') return {}
  try {
    const value: JsonValue = JSON.parse(text)
    // A bare text would be written back as free text.
    return typeof value === 'string' ? { value } : value
  } catch {
    return { arguments: text }
  }
}
