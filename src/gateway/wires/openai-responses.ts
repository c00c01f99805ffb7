import { isJsonObject, objectOf, objectsOf, stringOf, type JsonObject, type JsonValue } from '../../lib/json.ts'
import {
  findThread,
  type AnswerBlock,
  type EngineTraffic,
  type ModelAnswer,
  type ModelFailure,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
  type ToolOffer,
} from '../../recordings/messages.ts'
import type { Usage } from '../../transcript/transcript.ts'
import { askOpenai } from '../clients/openai.ts'
import { OPENAI } from './apis.ts'
import { callOfItem, itemOfCall, readResponse } from './openai-responses-reader.ts'
import { findForbiddenInResponses, writeOpenaiFailure } from './openai.ts'
import { eventsResponse, jsonResponse, type Route, type SentRequest, type Wire, type WireResponse } from './wire.ts'

const ROUTES: readonly Route[] = [
  { operation: 'answer', method: 'POST', path: '/v1/responses' },
  { operation: 'count-tokens', method: 'POST', path: '/v1/responses/input_tokens' },
  { operation: 'list-models', method: 'GET', path: '/v1/models' },
]

/** The Responses API of OpenAI, streaming and not. */
export const openaiResponses: Wire = {
  name: 'openai-responses',
  api: OPENAI,
  routes: ROUTES,
  ownHeaders: () => ({}),
  findForbidden: findForbiddenInResponses,
  limits: ['max_output_tokens'],
  readRequest,
  writeAnswer: (answer, stream) =>
    stream ? eventsResponse(responseEvents(answer)) : jsonResponse(wholeResponse(answer)),
  writeFailure,
  writeTokenCount: () => jsonResponse({ object: 'response.input_tokens', input_tokens: 0 }),
  readAnswer: readResponse,
  ask: askOpenai,
}

function readRequest({ headers, body }: SentRequest, traffic: readonly EngineTraffic[]): ModelRequest | null {
  if (!isJsonObject(body) || typeof body['model'] !== 'string') return null
  const { input } = body
  if (typeof input !== 'string' && !Array.isArray(input)) return null
  const { messages, tools: late } = readInput(input)
  const instructions = stringOf(body['instructions'])
  const offers = [...objectsOf(body['tools']), ...late].flatMap((tool) => readOffers(tool, ''))
  const system = instructions === '' ? [] : [instructions]
  const tools = offers.map(({ name }) => name)
  return {
    thread: findThread(traffic, { headers, system, messages, tools }),
    model: body['model'],
    stream: body['stream'] === true,
    system,
    messages,
    tools,
    offers,
  }
}

// A namespace holds tools of its own, such as those of one MCP server.
function readOffers(tool: JsonObject, prefix: string): readonly ToolOffer[] {
  const name = `${prefix}${stringOf(tool['name'] ?? tool['type'])}`
  if (tool['type'] === 'namespace') return objectsOf(tool['tools']).flatMap((inner) => readOffers(inner, `${name}__`))
  return [{ name, description: stringOf(tool['description']) }]
}

// Clients try again after a 403; at a 400 they give up at once.
function writeFailure(failure: ModelFailure): WireResponse {
  const isHopeless = failure.status === 403 && failure.retry === false
  return writeOpenaiFailure(isHopeless ? { ...failure, status: 400 } : failure)
}

/** Writes an answer as one response. */
function wholeResponse(answer: ModelAnswer): JsonObject {
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
function responseEvents(answer: ModelAnswer): string {
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
  if (block.kind === 'other') return objectOf(block.value)
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

/** What a request's `input` holds: messages, and tools that are offered only here. */
interface ReadInput {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly JsonObject[]
}

/** Reads the items of a request. The ids that a client gives them are new in every run and left out. */
function readInput(input: JsonValue): ReadInput {
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

/**
 * Reads what a tool returned. The API has no mark for a call that failed, so it is read from what the client writes
 * about it; chunk ids, times and counts of tokens are new in every run and left out.
 */
function readToolOutput(item: JsonObject): Extract<ModelPart, { kind: 'tool-result' }> {
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
