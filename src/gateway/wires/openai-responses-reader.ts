import { objectOf, objectsOf, stringOf } from '../../json-fields.ts'
import type { JsonObject } from '../../json.ts'
import type { AnswerBlock, ModelAnswer, StopReason } from '../../conversation/model.ts'
import { callOfItem } from './openai-responses-call.ts'
import { responseUsage } from './openai-responses-observer.ts'
import { createBodyReader, createEventReader, isEventStream } from './server-events.ts'
import type { AnswerReader } from './wire.ts'

/** Puts a response together, streamed or not. Encrypted thoughts are left out. */
export function readResponse(contentType: string): AnswerReader {
  return isEventStream(contentType) ? readEvents() : readBody()
}

function readBody(): AnswerReader {
  const body = createBodyReader()
  return { chunk: body.chunk, part: () => [], end: () => answerOf(body.end(), []) }
}

function readEvents(): AnswerReader {
  const items: JsonObject[] = []
  let last: JsonObject = {}
  const chunk = createEventReader((event) => {
    if (event['type'] === 'response.output_item.done') items.push(objectOf(event['item']))
    if (event['type'] === 'response.completed' || event['type'] === 'response.incomplete')
      last = objectOf(event['response'])
  })
  return { chunk, part: () => items.flatMap(blocksOf), end: () => answerOf(last, items) }
}

// Some servers repeat no item in the last event of a stream.
function answerOf(response: JsonObject, streamed: readonly JsonObject[]): ModelAnswer | null {
  const { status } = response
  if (status !== 'completed' && status !== 'incomplete') return null
  const whole = objectsOf(response['output'])
  const items = whole.length === 0 ? streamed : whole
  return {
    id: stringOf(response['id']),
    model: stringOf(response['model']),
    content: items.flatMap(blocksOf),
    stopReason: stopReasonOf(response, items),
    usage: responseUsage(response['usage']) ?? {
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    },
  }
}

function blocksOf(item: JsonObject): readonly AnswerBlock[] {
  const call = callOfItem(item)
  if (call !== null) return [call]
  if (item['type'] === 'reasoning') {
    const text = objectsOf(item['summary'])
      .map((part) => stringOf(part['text']))
      .join('\n\n')
    return text === '' ? [] : [{ kind: 'thinking', text }]
  }
  if (item['type'] !== 'message') return []
  const text = objectsOf(item['content']).map((part) => stringOf(part['text']) || stringOf(part['refusal']))
  return [{ kind: 'text', text: text.join('') }]
}

function stopReasonOf(response: JsonObject, items: readonly JsonObject[]): StopReason {
  const reason = stringOf(objectOf(response['incomplete_details'])['reason'])
  if (reason === 'max_output_tokens') return 'max-tokens'
  const parts = items.flatMap((item) => objectsOf(item['content']))
  if (reason === 'content_filter' || parts.some(({ type }) => type === 'refusal')) return 'refusal'
  return items.some((item) => callOfItem(item) !== null) ? 'tool-calls' : 'end-turn'
}
