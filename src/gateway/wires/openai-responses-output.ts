import { objectsOf, stringOf } from '../../json-fields.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { ModelPart } from '../../conversation/model.ts'

/**
 * Reads what a tool returned. The API has no mark for a call that failed, so it is read from what the client writes
 * about it; chunk ids, times and counts of tokens are new in every run and left out.
 */
export function readToolOutput(item: JsonObject): Extract<ModelPart, { kind: 'tool-result' }> {
  const id = stringOf(item['call_id'])
  const text = textOf(item)
  const exit = /^(?:Process exited with code|Exit code:) (\d+)$/m.exec(headOf(text))?.[1]
  const isError = exit === undefined ? REFUSALS.test(text) : exit !== '0'
  return { kind: 'tool-result', id, text: withoutFigures(text), isError }
}

function textOf(item: JsonObject): string {
  // Tools that were found are given by name: their descriptions are read as offers.
  if (item['type'] === 'tool_search_output') return objectsOf(item['tools']).map(namesOf).join('\n')
  const { output } = item
  return typeof output === 'string' ? output : objectsOf(output).map(textOfPart).join('\n')
}

function namesOf(tool: JsonObject): string {
  // They come in any order.
  const inner = objectsOf(tool['tools'])
    .map(({ name }) => stringOf(name))
    .toSorted()
  return [stringOf(tool['name']), ...inner].join(' ')
}

function textOfPart(part: JsonObject): string {
  const text: JsonValue | undefined = part['text']
  return typeof text === 'string' ? text.replace(/\n$/, '') : `[${stringOf(part['type'])}]`
}

/** The lines that a client puts before the output itself. */
function headOf(text: string): string {
  const end = /^Output:$/m.exec(text)?.index ?? -1
  return end < 0 ? '' : text.slice(0, end)
}

function withoutFigures(text: string): string {
  const head = headOf(text)
  const kept = head
    .split('\n')
    .filter((line) => line !== '' && !/^(?:Chunk ID: |Wall time:? |Original token count: )/.test(line))
  const body = text.slice(head.length)
  if (head === '') return text
  return kept.length === 0 ? body.replace(/^Output:\n?/, '') : `${kept.join('\n')}\n${body}`
}

const REFUSALS =
  /^(?:Command blocked by |\w+ failed: |unsupported call: |failed to parse |patch rejected|apply_patch verification failed|Script failed$|MCP tool call |user rejected )/m
