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
import { NO_USAGE } from '../../transcript/transcript.ts'
import { isContent, readOpenaiFailure } from './openai.ts'
import { inOrder, readerOf, DECLINED, type EventReader, type ObservedAnswer, type Wire } from './wire.ts'

/** Reads a completion, streamed or not. Only the first choice counts: no engine asks for more. */
export const readChatAnswer: Wire['readAnswer'] = readerOf(readEvents, (answer) => {
  const [choice] = objectsOf(answer['choices'])
  const message = choice?.['message']
  return {
    seen: () => ({
      ...factsOf(answer),
      failure: readOpenaiFailure(answer) ?? (isDeclined(answer, 'message') ? DECLINED : null),
      complete: Array.isArray(answer['choices']),
    }),
    whole: () =>
      isJsonObject(message) && isContent(message['content'])
        ? answerOf(answer, message, choice?.['finish_reason'])
        : null,
  }
})

function readEvents(): EventReader {
  const calls = new Map<number, JsonObject>()
  let frame: JsonObject = {}
  let content = ''
  let refusal = ''
  let reason: JsonValue | undefined = null
  let failure: ObservedAnswer['failure'] = null
  const answer = (): ModelAnswer => answerOf(frame, { content, refusal, tool_calls: inOrder(calls) }, reason)
  return {
    take(event) {
      // Usage comes last, in an event without choices, and only for who asked for it.
      frame = {
        id: event['id'] ?? frame['id'],
        model: stringOf(event['model']) || stringOf(frame['model']),
        usage: event['usage'] ?? frame['usage'],
      }
      const choice = objectsOf(event['choices']).find(({ index }) => index === 0 || index === undefined)
      const delta = objectOf(choice?.['delta'])
      content += stringOf(delta['content'])
      refusal += stringOf(delta['refusal'])
      for (const call of objectsOf(delta['tool_calls'])) addCall(calls, call)
      reason = choice?.['finish_reason'] ?? reason
      failure = readOpenaiFailure(event) ?? (isDeclined(event, 'delta') ? DECLINED : failure)
    },
    seen: () => ({ ...factsOf(frame), failure, complete: typeof reason === 'string' }),
    whole: () => (typeof reason === 'string' ? answer() : null),
    part: () => answer().content,
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
    usage: chatUsage(frame['usage']) ?? NO_USAGE,
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

function factsOf({ model, usage }: JsonObject): Pick<ObservedAnswer, 'model' | 'usage'> {
  return { model: typeof model === 'string' && model !== '' ? model : null, usage: chatUsage(usage) }
}

function isDeclined({ choices }: JsonObject, part: 'delta' | 'message'): boolean {
  return objectsOf(choices).some(
    (choice) => choice['finish_reason'] === 'content_filter' || stringOf(objectOf(choice[part])['refusal']) !== '',
  )
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
