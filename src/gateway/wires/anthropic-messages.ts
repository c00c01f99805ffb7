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
  type StopReason,
} from '../../recordings/messages.ts'
import type { Usage } from '../../transcript/transcript.ts'
import { askAnthropic } from '../clients/anthropic.ts'
import { readAnthropicAnswer } from './anthropic-reader.ts'
import { ANTHROPIC } from './apis.ts'
import {
  eventsResponse,
  forbidden,
  isSet,
  jsonResponse,
  quoteName,
  retryHeaders,
  type Forbidden,
  type Route,
  type SentRequest,
  type Wire,
  type WireResponse,
} from './wire.ts'

function findForbidden(body: JsonObject, network: boolean): Forbidden | null {
  for (const name of ['mcp_servers', 'container'])
    if (isSet(body[name])) return forbidden(`the field ${quoteName(name)}`)
  for (const tool of objectsOf(body['tools'])) {
    const found = judgeTool(tool, network)
    if (found !== null) return found
  }
  for (const message of objectsOf(body['messages'])) {
    const found = judgeContent(message['content'])
    if (found !== null) return found
  }
  return judgeContent(body['system'])
}

function judgeTool(tool: JsonObject, network: boolean): Forbidden | null {
  const { type } = tool
  if (type === undefined || type === null || (typeof type === 'string' && CLIENT_TOOLS.test(type))) return null
  const isWebTool = WEB_TOOLS.test(stringOf(type))
  return isWebTool && network
    ? null
    : forbidden(
        `a tool that the API runs, ${quoteName(typeof type === 'string' ? type : JSON.stringify(type))}`,
        isWebTool,
      )
}

/** Tools that the client runs, and the search among the tools of the request itself. */
const CLIENT_TOOLS = /^(?:custom|(?:bash|computer|memory|text_editor|tool_search_tool(?:_bm25|_regex)?)_\d{8})$/
const WEB_TOOLS = /^web_(?:fetch|search)_\d{8}$/

/** The sources of a message's blocks. What a model gave to a tool is no such block, whatever it looks like. */
function judgeContent(content: JsonValue | undefined): Forbidden | null {
  for (const block of objectsOf(content)) {
    const type = stringOf(block['type'])
    if (type === 'container_upload') return forbidden('a file of the account')
    if (type === 'tool_use' || type === 'server_tool_use') continue
    const { source } = block
    if (isJsonObject(source) && !OWN_SOURCES.has(stringOf(source['type'])))
      return forbidden(
        `${type === '' ? 'a block' : `a block of type ${quoteName(type)}`} with a source of type ${quoteName(stringOf(source['type']))}`,
      )
    const inner = judgeContent(block['content']) ?? (isJsonObject(source) ? judgeContent(source['content']) : null)
    if (inner !== null) return inner
  }
  return null
}

/** Sources that are in the request itself. */
const OWN_SOURCES: ReadonlySet<string> = new Set(['base64', 'content', 'text'])

const ROUTES: readonly Route[] = [
  { operation: 'answer', method: 'POST', path: '/v1/messages' },
  { operation: 'count-tokens', method: 'POST', path: '/v1/messages/count_tokens' },
  { operation: 'list-models', method: 'GET', path: '/v1/models' },
]

/** The Messages API of Anthropic, streaming and not. */
export const anthropicMessages: Wire = {
  name: 'anthropic-messages',
  api: ANTHROPIC,
  routes: ROUTES,
  ownHeaders: (credential) => ({
    'anthropic-version': '2023-06-01',
    ...(credential === 'oauth' ? { 'anthropic-beta': 'oauth-2025-04-20' } : {}),
  }),
  findForbidden,
  limits: ['max_tokens'],
  readRequest,
  writeAnswer: (answer, stream) =>
    stream ? eventsResponse(answerEvents(answer)) : jsonResponse(answerMessage(answer)),
  writeFailure,
  writeTokenCount: () => jsonResponse({ input_tokens: 0 }),
  readAnswer: readAnthropicAnswer,
  ask: askAnthropic,
}

function readRequest({ headers, body }: SentRequest, traffic: readonly EngineTraffic[]): ModelRequest | null {
  if (!isJsonObject(body) || !Array.isArray(body['messages']) || typeof body['model'] !== 'string') return null
  const system = partsOf(body['system']).flatMap((part) => (part.kind === 'text' ? [part.text] : []))
  const messages = objectsOf(body['messages']).map(readMessage)
  const offers = objectsOf(body['tools']).map((tool) => ({
    name: stringOf(tool['name'] ?? tool['type']),
    description: stringOf(tool['description']),
  }))
  const tools = offers.map(({ name }) => name)
  const thread = findThread(traffic, { headers, system, messages, tools })
  return { thread, model: body['model'], stream: body['stream'] === true, system, messages, tools, offers }
}

function readMessage(message: JsonObject): ModelMessage {
  return { role: stringOf(message['role']), parts: partsOf(message['content']) }
}

function partsOf(content: JsonValue | undefined): readonly ModelPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  return objectsOf(content).map(readPart)
}

function readPart(block: JsonObject): ModelPart {
  const type = stringOf(block['type'])
  if (type === 'text') return { kind: 'text', text: stringOf(block['text']) }
  if (type === 'tool_use')
    return { kind: 'tool-call', id: stringOf(block['id']), name: stringOf(block['name']), input: block['input'] ?? {} }
  if (type !== 'tool_result') return { kind: 'other', type, value: block }
  const text = partsOf(block['content']).map((part) => (part.kind === 'text' ? part.text : JSON.stringify(part)))
  return {
    kind: 'tool-result',
    id: stringOf(block['tool_use_id']),
    text: text.join('\n'),
    isError: block['is_error'] === true,
  }
}

function writeFailure({ status, type, message, retryAfter, retry }: ModelFailure): WireResponse {
  const error = { type: type ?? USUAL_TYPES.get(status) ?? 'api_error', message }
  return jsonResponse({ type: 'error', error }, status, retryHeaders(retryAfter, retry))
}

const USUAL_TYPES = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

/** Writes an answer as one Message. */
function answerMessage(answer: ModelAnswer): JsonObject {
  return {
    ...emptyMessage(answer),
    content: answer.content.map(wholeBlock),
    stop_reason: STOP_REASONS[answer.stopReason],
    usage: usageOf(answer.usage),
  }
}

/** Writes an answer as the event stream of the API. */
function answerEvents(answer: ModelAnswer): string {
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
  if (block.kind === 'other') return objectOf(block.value)
  return { type: 'tool_use', id: block.id, name: block.name, input: block.input }
}

function blockEvents(block: AnswerBlock, index: number): readonly (JsonObject & { readonly type: string })[] {
  const [start, delta] = openedBlock(block)
  return [
    { type: 'content_block_start', index, content_block: start },
    ...(delta === null ? [] : [{ type: 'content_block_delta', index, delta }]),
    { type: 'content_block_stop', index },
  ]
}

function openedBlock(block: AnswerBlock): readonly [start: JsonObject, delta: JsonObject | null] {
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
  const whole = wholeBlock(block)
  if (whole['input'] === undefined) return [whole, null]
  return [
    { ...whole, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(whole['input']) },
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
