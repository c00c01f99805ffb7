import { objectOf, objectsOf, stringOf } from '../../json-fields.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { ModelMessage, ModelPart } from '../../conversation/model.ts'
import { callOfItem } from './openai-responses-call.ts'
import { readToolOutput } from './openai-responses-output.ts'

/** What a request's `input` holds: messages, and tools that are offered only here. */
export interface ReadInput {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly JsonObject[]
}

/** Reads the items of a request. The ids that a client gives them are new in every run and left out. */
export function readInput(input: JsonValue): ReadInput {
  if (typeof input === 'string') return { messages: [user({ kind: 'text', text: input })], tools: [] }
  const items = objectsOf(input)
  return {
    messages: items.flatMap(readItem),
    tools: items.flatMap((item) => (TOOL_ITEMS.has(stringOf(item['type'])) ? objectsOf(item['tools']) : [])),
  }
}

const TOOL_ITEMS: ReadonlySet<string> = new Set(['additional_tools', 'tool_search_output'])

function readItem(item: JsonObject): readonly ModelMessage[] {
  const type = stringOf(item['type'])
  if (type === 'message' || (type === '' && item['role'] !== undefined))
    return [{ role: stringOf(item['role']), parts: readContent(item['content']) }]
  if (type === 'additional_tools') return []
  if (type.endsWith('_output')) return [user(readToolOutput(item))]
  const call = callOfItem(item)
  if (call !== null) return [{ role: 'assistant', parts: [call] }]
  const { id: _, encrypted_content: _encrypted, ...value } = item
  return [{ role: 'assistant', parts: [{ kind: 'other', type, value }] }]
}

function user(part: ModelPart): ModelMessage {
  return { role: 'user', parts: [part] }
}

function readContent(content: JsonValue | undefined): readonly ModelPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  return objectsOf(content).map((part) => {
    const type = stringOf(part['type'])
    if (TEXTS.has(type)) return { kind: 'text', text: stringOf(part['text']) }
    if (type === 'refusal') return { kind: 'text', text: stringOf(part['refusal']) }
    return { kind: 'other', type, value: objectOf(part) }
  })
}

const TEXTS: ReadonlySet<string> = new Set(['input_text', 'output_text', 'summary_text', 'text'])
