import { isJsonObject } from '../../json.ts'
import { CLIENT_HEADERS } from './client-headers.ts'
import { objectsOf, stringOf } from '../../json-fields.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { findThread, type EngineTraffic } from '../../conversation/traffic.ts'
import type { ModelFailure, ModelMessage, ModelPart, ModelRequest } from '../../conversation/model.ts'
import { ANTHROPIC_RULES } from './anthropic-rules.ts'
import { ANTHROPIC } from './apis.ts'
import { askAnthropic } from '../clients/anthropic.ts'
import { answerEvents, answerMessage } from './anthropic-answer.ts'
import { observeAnthropic } from './anthropic-observer.ts'
import { readAnthropicAnswer } from './anthropic-reader.ts'
import type { Route } from './route.ts'
import { eventsResponse, jsonResponse, retryHeaders } from './wire-response.ts'
import type { SentRequest, Wire, WireResponse } from './wire.ts'

const ROUTES: readonly Route[] = [
  { operation: 'answer', method: 'POST', path: '/v1/messages', query: { beta: /^true$/ } },
  { operation: 'count-tokens', method: 'POST', path: '/v1/messages/count_tokens', query: { beta: /^true$/ } },
  {
    operation: 'list-models',
    method: 'GET',
    path: '/v1/models',
    query: { beta: /^true$/, limit: /^\d{1,4}$/, after_id: /^[\w.:-]{1,200}$/, before_id: /^[\w.:-]{1,200}$/ },
  },
]

/** The Messages API of Anthropic, streaming and not. */
export const anthropicMessages: Wire = {
  name: 'anthropic-messages',
  api: ANTHROPIC,
  routes: ROUTES,
  // Betas of OAuth credentials are in `anthropic-beta`.
  headers: [...CLIENT_HEADERS, 'anthropic-beta', 'anthropic-dangerous-direct-browser-access', 'anthropic-version'],
  ownHeaders: (credential) => ({
    'anthropic-version': '2023-06-01',
    ...(credential === 'oauth' ? { 'anthropic-beta': 'oauth-2025-04-20' } : {}),
  }),
  rules: ANTHROPIC_RULES,
  limits: ['max_tokens'],
  readRequest,
  writeAnswer: (answer, stream) =>
    stream ? eventsResponse(answerEvents(answer)) : jsonResponse(answerMessage(answer)),
  writeFailure,
  writeTokenCount: () => jsonResponse({ input_tokens: 0 }),
  observe: observeAnthropic,
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
