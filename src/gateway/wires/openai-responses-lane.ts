import type { IncomingHttpHeaders } from 'node:http'
import type { Lane } from '../lane.ts'
import { textsOf } from '../model.ts'
import type { ModelMessage } from '../model.ts'

/** Tells the lane of a request: a client that has sub-agents names its thread and says what the thread is for. */
export function responsesLane(headers: IncomingHttpHeaders, messages: readonly ModelMessage[]): Lane {
  const purpose = headers['x-openai-subagent']
  if (typeof purpose !== 'string' || purpose === '') return { kind: 'main' }
  const id = headers['thread-id']
  if (purpose !== DELEGATED || typeof id !== 'string') return { kind: 'side', name: purpose }
  return { kind: 'agent', id, prompt: givenPrompt(messages) }
}

const DELEGATED = 'collab_spawn'

// Before the first answer come instructions and what the client tells of itself, in tags or under a heading of its own.
function givenPrompt(messages: readonly ModelMessage[]): string {
  const answered = messages.findIndex(({ role }) => role === 'assistant')
  const opening = answered < 0 ? messages : messages.slice(0, answered)
  const texts = opening.filter(({ role }) => role === 'user').flatMap(textsOf)
  return (texts.findLast((text) => !/^\s*(?:<\w+>|# AGENTS\.md instructions)/.test(text)) ?? '').trim()
}
