import { objectOf, objectsOf, stringOf } from '../../json-fields.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { AnswerBlock, ModelAnswer, StopReason } from '../../conversation/model.ts'
import { chatUsage } from './openai-chat-observer.ts'
import { createBodyReader, createEventReader, isEventStream } from './server-events.ts'
import type { AnswerReader } from './wire.ts'

/** Puts a completion together, streamed or not. Only the first choice counts: nobody asks for more. */
export function readChatAnswer(contentType: string): AnswerReader {
  return isEventStream(contentType) ? readEvents() : readCompletion()
}

function readCompletion(): AnswerReader {
  const body = createBodyReader()
  return {
    chunk: body.chunk,
    end() {
      const answer = body.end()
      const [choice] = objectsOf(answer['choices'])
      return choice === undefined ? null : answerOf(answer, objectOf(choice['message']), choice['finish_reason'])
    },
  }
}

function readEvents(): AnswerReader {
  const calls: JsonObject[] = []
  let frame: JsonObject = {}
  let content = ''
  let refusal = ''
  let reason: JsonValue | undefined = null
  const chunk = createEventReader((event) => {
    frame = { ...frame, ...withoutNull(event) }
    const choice = objectsOf(event['choices']).find(({ index }) => index === 0 || index === undefined)
    const delta = objectOf(choice?.['delta'])
    content += stringOf(delta['content'])
    refusal += stringOf(delta['refusal'])
    for (const call of objectsOf(delta['tool_calls'])) addCall(calls, call)
    reason = choice?.['finish_reason'] ?? reason
  })
  return {
    chunk,
    end: () => (typeof reason === 'string' ? answerOf(frame, { content, refusal, tool_calls: calls }, reason) : null),
  }
}

function withoutNull(event: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null))
}

// A call comes in pieces: first its id and name, then its arguments.
function addCall(calls: JsonObject[], piece: JsonObject): void {
  const index = typeof piece['index'] === 'number' ? piece['index'] : calls.length
  const before = objectOf(calls[index])
  const [known, more] = [objectOf(before['function']), objectOf(piece['function'])]
  calls[index] = {
    id: stringOf(before['id']) || stringOf(piece['id']),
    function: {
      name: stringOf(known['name']) || stringOf(more['name']),
      arguments: stringOf(known['arguments']) + stringOf(more['arguments']),
    },
  }
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
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
