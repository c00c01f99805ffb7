import type { IncomingHttpHeaders } from 'node:http'
import { SUB_AGENT_ENDED } from '../../conversation/thread.ts'
import { textsOf } from '../../conversation/model.ts'
import type { Thread, ModelMessage } from '../../conversation/model.ts'

/** Tells the thread of a request: a client that has sub-agents names its thread and says what the thread is for. */
export function responsesThread(headers: IncomingHttpHeaders, messages: readonly ModelMessage[]): Thread {
  const purpose = headers['x-openai-subagent']
  if (typeof purpose !== 'string' || purpose === '')
    return isLateNotice(messages) ? { kind: 'side', name: SUB_AGENT_ENDED } : { kind: 'main' }
  const id = headers['thread-id']
  if (purpose !== DELEGATED || typeof id !== 'string') return { kind: 'side', name: purpose }
  return { kind: 'agent', id, prompt: givenPrompt(messages) }
}

const DELEGATED = 'collab_spawn'

// Whether the client tells of a sub-agent's end before or after the last answer is a matter of luck.
function isLateNotice(messages: readonly ModelMessage[]): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const since = messages.slice(last + 1).flatMap(({ parts }) => parts)
  const isFinal = messages[last]?.parts.every(({ kind }) => kind === 'text') === true
  return (
    isFinal &&
    since.length > 0 &&
    since.every((part) => part.kind === 'text' && part.text.trimStart().startsWith('<subagent_notification>'))
  )
}

// Before the first answer come instructions and what the client tells of itself, in tags or under a heading of its own.
function givenPrompt(messages: readonly ModelMessage[]): string {
  const answered = messages.findIndex(({ role }) => role === 'assistant')
  const opening = answered < 0 ? messages : messages.slice(0, answered)
  const texts = opening.filter(({ role }) => role === 'user').flatMap(textsOf)
  return (texts.findLast((text) => !/^\s*(?:<\w+>|# AGENTS\.md instructions)/.test(text)) ?? '').trim()
}
