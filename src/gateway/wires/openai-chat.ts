import { isJsonObject } from '../../json.ts'
import { CLIENT_HEADERS } from './client-headers.ts'
import { objectsOf, stringOf } from '../../json-fields.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { findThread, type EngineTraffic } from '../../conversation/traffic.ts'
import type { ModelMessage, ModelPart, ModelRequest } from '../../conversation/model.ts'
import { completion, completionEvents } from './openai-chat-answer.ts'
import { observeChat } from './openai-chat-observer.ts'
import { callOf, readChatAnswer } from './openai-chat-reader.ts'
import { writeOpenaiFailure } from './openai-failure.ts'
import { CHAT_RULES } from './openai-rules.ts'
import { askOpenai } from '../clients/openai.ts'
import { OPENAI } from './apis.ts'
import { eventsResponse, jsonResponse } from './wire-response.ts'
import type { Route } from './route.ts'
import type { SentRequest, Wire } from './wire.ts'

const ROUTES: readonly Route[] = [
  { operation: 'answer', method: 'POST', path: '/v1/chat/completions' },
  { operation: 'list-models', method: 'GET', path: '/v1/models' },
]

/** The Chat Completions API of OpenAI and of all that are compatible with it, streaming and not. */
export const openaiChat: Wire = {
  name: 'openai-chat',
  api: OPENAI,
  routes: ROUTES,
  headers: CLIENT_HEADERS,
  ownHeaders: () => ({}),
  rules: CHAT_RULES,
  limits: ['max_completion_tokens', 'max_tokens'],
  readRequest,
  writeAnswer: (answer, stream) =>
    stream ? eventsResponse(completionEvents(answer)) : jsonResponse(completion(answer)),
  writeFailure: writeOpenaiFailure,
  // It has no such operation.
  writeTokenCount: () => writeOpenaiFailure(NO_COUNT),
  observe: observeChat,
  readAnswer: readChatAnswer,
  ask: askOpenai,
}

const NO_COUNT = { status: 404, type: null, message: 'Unknown operation.', retryAfter: null, retry: false }

function readRequest({ headers, body }: SentRequest, traffic: readonly EngineTraffic[]): ModelRequest | null {
  if (!isJsonObject(body) || !Array.isArray(body['messages']) || typeof body['model'] !== 'string') return null
  const all = objectsOf(body['messages'])
  const system = all.filter(isInstruction).flatMap(({ content }) => textsOf(content))
  const messages = all.filter((message) => !isInstruction(message)).map(readMessage)
  const offers = objectsOf(body['tools']).map((tool) => {
    const described = isJsonObject(tool['function']) ? tool['function'] : tool
    return {
      name: stringOf(described['name'] ?? described['type']),
      description: stringOf(described['description']),
    }
  })
  const tools = offers.map(({ name }) => name)
  const thread = findThread(traffic, { headers, system, messages, tools })
  return { thread, model: body['model'], stream: body['stream'] === true, system, messages, tools, offers }
}

function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer'
}

function readMessage(message: JsonObject): ModelMessage {
  const { role, content } = message
  if (role === 'tool') {
    const text = textsOf(content).join('\n')
    // The API has no mark for a call that failed.
    const result: ModelPart = { kind: 'tool-result', id: stringOf(message['tool_call_id']), text, isError: false }
    return { role: 'user', parts: [result] }
  }
  return { role: stringOf(role), parts: [...partsOf(content), ...objectsOf(message['tool_calls']).map(callOf)] }
}

function textsOf(content: JsonValue | undefined): readonly string[] {
  return partsOf(content).map((part) => (part.kind === 'text' ? part.text : JSON.stringify(part)))
}

function partsOf(content: JsonValue | undefined): readonly ModelPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  return objectsOf(content).map((part) => {
    const type = stringOf(part['type'])
    if (type === 'text') return { kind: 'text', text: stringOf(part['text']) }
    return type === 'refusal' ? { kind: 'text', text: stringOf(part['refusal']) } : { kind: 'other', type, value: part }
  })
}
