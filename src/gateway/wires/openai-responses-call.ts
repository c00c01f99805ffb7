import { stringOf } from '../../json-fields.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { AnswerBlock } from '../../conversation/model.ts'

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
