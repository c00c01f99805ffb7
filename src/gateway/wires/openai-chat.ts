import { isJsonObject, objectsOf, stringOf, type JsonObject, type JsonValue } from '../../lib/json.ts'
import {
  findThread,
  type EngineTraffic,
  type ModelAnswer,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
  type StopReason,
} from '../../recordings/messages.ts'
import type { Usage } from '../../transcript/transcript.ts'
import { askOpenai } from '../clients/openai.ts'
import { OPENAI } from './apis.ts'
import { callOf, readChatAnswer } from './openai-chat-reader.ts'
import { findForbiddenInChat, writeOpenaiFailure } from './openai.ts'
import { eventsResponse, jsonResponse, type Route, type SentRequest, type Wire } from './wire.ts'

const ROUTES: readonly Route[] = [
  { operation: 'answer', method: 'POST', path: '/v1/chat/completions' },
  { operation: 'list-models', method: 'GET', path: '/v1/models' },
]

/** The Chat Completions API of OpenAI and of all that are compatible with it, streaming and not. */
export const openaiChat: Wire = {
  name: 'openai-chat',
  api: OPENAI,
  routes: ROUTES,
  ownHeaders: () => ({}),
  findForbidden: findForbiddenInChat,
  limits: ['max_completion_tokens', 'max_tokens'],
  readRequest,
  writeAnswer: (answer, stream) =>
    stream ? eventsResponse(completionEvents(answer)) : jsonResponse(completion(answer)),
  writeFailure: writeOpenaiFailure,
  // It has no such operation.
  writeTokenCount: () => writeOpenaiFailure(NO_COUNT),
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

/** Writes an answer as one completion. */
function completion(answer: ModelAnswer): JsonObject {
  const message = { role: 'assistant', content: textOf(answer), refusal: null, ...callsOf(answer) }
  return {
    ...frame(answer, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[answer.stopReason] }],
    usage: usageOf(answer.usage),
  }
}

/** Writes an answer as the event stream of the API. */
function completionEvents(answer: ModelAnswer): string {
  const text = textOf(answer)
  const { tool_calls: calls = [] } = callsOf(answer)
  const deltas: readonly JsonObject[] = [
    { role: 'assistant', content: '' },
    ...(text === null ? [] : [{ content: text }]),
    ...calls.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ]
  const choice = (delta: JsonObject, reason: string | null): JsonObject => {
    return { ...frame(answer, CHUNK), choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] }
  }
  const events = [
    ...deltas.map((delta) => choice(delta, null)),
    choice({}, FINISH_REASONS[answer.stopReason]),
    { ...frame(answer, CHUNK), choices: [], usage: usageOf(answer.usage) },
  ]
  return [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((line) => `data: ${line}\n\n`).join('')
}

const CHUNK = 'chat.completion.chunk'

// The time of an answer that no model gave is no time.
function frame({ id, model }: ModelAnswer, object: string): JsonObject {
  return { id, object, created: 0, model }
}

// Thoughts are no part of this API.
function textOf({ content }: ModelAnswer): string | null {
  const texts = content.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  return texts.length === 0 ? null : texts.join('')
}

function callsOf({ content }: ModelAnswer): { readonly tool_calls?: readonly JsonObject[] } {
  const calls = content.flatMap((block) =>
    block.kind === 'tool-call'
      ? [
          {
            id: block.id,
            type: 'function',
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  )
  return calls.length === 0 ? {} : { tool_calls: calls }
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): JsonObject {
  const prompt = inputTokens + cacheReadTokens + cacheWriteTokens
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens,
    total_tokens: prompt + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
  }
}

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  'end-turn': 'stop',
  'tool-calls': 'tool_calls',
  'max-tokens': 'length',
  refusal: 'content_filter',
}
