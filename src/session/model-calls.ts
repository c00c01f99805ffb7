import type { ModelCall } from '../engines/stream.ts'
import { objectOf, objectsOf, stringOf } from '../lib/json.ts'
import type { ObservedResult } from '../recordings/conversation.ts'
import type { AnswerBlock } from '../recordings/messages.ts'

/** The calls of an answer. */
export function callsIn(content: readonly AnswerBlock[]): readonly ModelCall[] {
  return content.filter((block) => block.kind === 'tool-call')
}

/** A call that the API itself carried out, such as a search, and what it found; nothing for any other block. */
export function readServerBlock({
  type,
  value,
}: Extract<AnswerBlock, { kind: 'other' }>): readonly (ModelCall | ObservedResult)[] {
  const { id, name, input, tool_use_id: ofCall, content = null, action = null } = objectOf(value)
  if (type === 'server_tool_use')
    return [{ kind: 'tool-call', id: stringOf(id), name: stringOf(name), input: input ?? null }]
  if (type.endsWith('_tool_result') && ofCall !== undefined) {
    const text = objectsOf(content).map(({ title, url }) => [title, url].map(stringOf).join(' '))
    const isError = stringOf(objectOf(content)['type']).endsWith('_error')
    return [{ id: stringOf(ofCall), text: Array.isArray(content) ? text.join('\n') : JSON.stringify(content), isError }]
  }
  if (!type.endsWith('_call') || typeof id !== 'string') return []
  // Its answer says only that it has ended.
  return [
    { kind: 'tool-call', id, name: type.replace(/_call$/, ''), input: action },
    { id, text: '', isError: false },
  ]
}
