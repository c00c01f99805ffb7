import { withoutSpace } from '../texts.ts'
import type { AnswerBlock, ModelRequest } from './model.ts'

/**
 * Whether a request of the main thread is one of the session itself: it holds one of the answers that the session has got,
 * or there is none yet, and so no tool that could have asked. What a tool asks of the model begins a conversation of its own.
 */
export function goesOn(
  { messages }: Pick<ModelRequest, 'messages'>,
  answers: readonly (readonly AnswerBlock[])[],
): boolean {
  if (answers.length === 0) return true
  const parts = messages.filter(({ role }) => role !== 'user').flatMap((message) => message.parts)
  const calls = new Set(parts.flatMap((part) => (part.kind === 'tool-call' ? [part.id] : [])))
  const words = parts.map((part) => (part.kind === 'text' ? withoutSpace(part.text) : '')).join('')
  return answers.some((answer) => {
    const made = answer.filter((block) => block.kind === 'tool-call')
    if (made.length > 0) return made.every(({ id }) => calls.has(id))
    const text = answer.map((block) => (block.kind === 'text' ? withoutSpace(block.text) : '')).join('')
    return text !== '' && words.includes(text)
  })
}
