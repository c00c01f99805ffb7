import {
  countOf,
  isJsonObject,
  objectOf,
  objectsOf,
  stringOf,
  tryParseJson,
  type JsonObject,
  type JsonValue,
} from '../../lib/json.ts'
import type { AnswerBlock, ModelAnswer, StopReason } from '../../recordings/messages.ts'
import type { Usage } from '../../transcript/transcript.ts'
import { readOpenaiFailure } from './openai.ts'
import {
  createBodyReader,
  createEventReader,
  inOrder,
  isEventStream,
  observeWith,
  DECLINED,
  type AnswerReader,
  type ObservedAnswer,
  type Wire,
} from './wire.ts'

/** Puts a completion together, streamed or not. Only the first choice counts: no engine asks for more. */
export function readChatAnswer(contentType: string): AnswerReader {
  return isEventStream(contentType) ? readEvents() : readCompletion()
}

function readCompletion(): AnswerReader {
  const body = createBodyReader()
  return {
    chunk: body.chunk,
    part: () => [],
    end() {
      const answer = body.end()
      const [choice] = objectsOf(answer['choices'])
      return choice === undefined ? null : answerOf(answer, objectOf(choice['message']), choice['finish_reason'])
    },
  }
}

function readEvents(): AnswerReader {
  // A list would grow to whatever index an API sends.
  const calls = new Map<number, JsonObject>()
  let frame: JsonObject = {}
  let content = ''
  let refusal = ''
  let reason: JsonValue | undefined = null
  const chunk = createEventReader((event) => {
    // Only fields that are read: what an API adds in every event would make the frame grow.
    frame = {
      id: event['id'] ?? frame['id'],
      model: event['model'] ?? frame['model'],
      usage: event['usage'] ?? frame['usage'],
    }
    const choice = objectsOf(event['choices']).find(({ index }) => index === 0 || index === undefined)
    const delta = objectOf(choice?.['delta'])
    content += stringOf(delta['content'])
    refusal += stringOf(delta['refusal'])
    for (const call of objectsOf(delta['tool_calls'])) addCall(calls, call)
    reason = choice?.['finish_reason'] ?? reason
  })
  return {
    chunk,
    part: () => answerOf(frame, { content, refusal, tool_calls: inOrder(calls) }, reason).content,
    end: () =>
      typeof reason === 'string' ? answerOf(frame, { content, refusal, tool_calls: inOrder(calls) }, reason) : null,
  }
}

// A call comes in pieces: first its id and name, then its arguments.
function addCall(calls: Map<number, JsonObject>, piece: JsonObject): void {
  const index = typeof piece['index'] === 'number' ? piece['index'] : calls.size
  const before = calls.get(index) ?? {}
  const [earlier, more] = [objectOf(before['function']), objectOf(piece['function'])]
  calls.set(index, {
    id: stringOf(before['id']) || stringOf(piece['id']),
    function: {
      name: stringOf(earlier['name']) || stringOf(more['name']),
      arguments: stringOf(earlier['arguments']) + stringOf(more['arguments']),
    },
  })
}

function answerOf(frame: JsonObject, message: JsonObject, reason: JsonValue | undefined): ModelAnswer {
  const refusal = stringOf(message['refusal'])
  const text = stringOf(message['content']) || refusal
  const content: AnswerBlock[] = text === '' ? [] : [{ kind: 'text', text }]
  return {
    id: stringOf(frame['id']),
    model: stringOf(frame['model']),
    content: [...content, ...objectsOf(message['tool_calls']).map(callOf)],
    stopReason: refusal === '' ? (STOP_REASONS.get(stringOf(reason)) ?? 'end-turn') : 'refusal',
    usage: chatUsage(frame['usage']) ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  }
}

const STOP_REASONS = new Map<string, StopReason>([
  ['stop', 'end-turn'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['length', 'max-tokens'],
  ['content_filter', 'refusal'],
])

/** Reads the call of a tool. Arguments that are no JSON stay as they were written. */
export function callOf(call: JsonObject): Extract<AnswerBlock, { kind: 'tool-call' }> {
  const called = objectOf(call['function'])
  const name = stringOf(called['name'])
  return { kind: 'tool-call', id: stringOf(call['id']), name, input: inputOf(stringOf(called['arguments'])) }
}

function inputOf(text: string): JsonValue {
  if (text.trim() === '') return {}
  const value = tryParseJson(text)
  return value === undefined ? text : value
}

/** Reads model, usage and error out of a completion while it passes by. */
export const observeChat: Wire['observe'] = observeWith(withEvent, ofCompletion)

// Usage comes last, in an event without choices, and only for who asked for it.
function withEvent(seen: ObservedAnswer, event: JsonObject): ObservedAnswer {
  const isEnd = objectsOf(event['choices']).some(({ finish_reason: reason }) => typeof reason === 'string')
  return {
    model: modelOf(event) ?? seen.model,
    usage: chatUsage(event['usage']) ?? seen.usage,
    failure: readOpenaiFailure(event) ?? (isDeclined(event, 'delta') ? DECLINED : seen.failure),
    complete: seen.complete || isEnd,
  }
}

function ofCompletion(answer: JsonObject): ObservedAnswer {
  return {
    model: modelOf(answer),
    usage: chatUsage(answer['usage']),
    failure: readOpenaiFailure(answer) ?? (isDeclined(answer, 'message') ? DECLINED : null),
    complete: Array.isArray(answer['choices']),
  }
}

function isDeclined({ choices }: JsonObject, part: 'delta' | 'message'): boolean {
  return objectsOf(choices).some(
    (choice) => choice['finish_reason'] === 'content_filter' || stringOf(objectOf(choice[part])['refusal']) !== '',
  )
}

function modelOf({ model }: JsonObject): string | null {
  return typeof model === 'string' && model !== '' ? model : null
}

/** Reads the usage of a completion: what was cached is part of the prompt there, and apart here. */
function chatUsage(value: JsonValue | undefined): Usage | null {
  if (!isJsonObject(value)) return null
  const cached = countOf(objectOf(value['prompt_tokens_details'])['cached_tokens'])
  return {
    inputTokens: Math.max(0, countOf(value['prompt_tokens']) - cached),
    outputTokens: countOf(value['completion_tokens']),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
  }
}
