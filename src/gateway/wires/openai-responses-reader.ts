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
import { readOpenaiFailure } from './openai.ts'
import {
  createBodyReader,
  createEventReader,
  isEventStream,
  observeWith,
  DECLINED,
  type AnswerReader,
  type ObservedAnswer,
  type Wire,
} from './wire.ts'

/** Puts a response together, streamed or not. Encrypted thoughts are left out. */
export function readResponse(contentType: string): AnswerReader {
  return isEventStream(contentType) ? readEvents() : readBody()
}

function readBody(): AnswerReader {
  const body = createBodyReader()
  return { chunk: body.chunk, part: () => [], end: () => answerOf(body.end(), []) }
}

function readEvents(): AnswerReader {
  const items: JsonObject[] = []
  let last: JsonObject = {}
  const chunk = createEventReader((event) => {
    if (event['type'] === 'response.output_item.done') items.push(objectOf(event['item']))
    if (event['type'] === 'response.completed' || event['type'] === 'response.incomplete')
      last = objectOf(event['response'])
  })
  return { chunk, part: () => items.flatMap(blocksOf), end: () => answerOf(last, items) }
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
    usage: responseUsage(response['usage']) ?? {
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    },
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
