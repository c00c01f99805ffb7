import { SUB_AGENT_ENDED } from '../../conversation/thread.ts'
import { textsOf } from '../../conversation/model.ts'
import { headerOf, type EngineTraffic, type RequestClues } from '../../conversation/traffic.ts'

/** Codex names the thread of a request and its purpose, and makes up ids of sub-agents and of processes. */
export const traffic: EngineTraffic = {
  threadOf(clues) {
    const purpose = headerOf(clues, 'x-openai-subagent')
    if (purpose === '') return isLateNotice(clues) ? { kind: 'side', name: SUB_AGENT_ENDED } : null
    const id = headerOf(clues, 'thread-id')
    if (purpose !== DELEGATED || id === '') return { kind: 'side', name: purpose }
    return { kind: 'agent', id, prompt: givenPrompt(clues) }
  },
  idIn: (result) =>
    ID.exec(result)
      ?.slice(1)
      .find((id) => id !== undefined) ?? null,
  headers: [
    'originator',
    'session-id',
    'thread-id',
    'x-client-request-id',
    'x-codex-beta-features',
    'x-codex-parent-thread-id',
    'x-codex-turn-metadata',
    'x-codex-window-id',
    'x-openai-internal-codex-responses-lite',
    'x-openai-subagent',
  ],
}

const DELEGATED = 'collab_spawn'
const ID = /"agent_id":"([^"]+)"|\bsession ID (\d+)/

// Whether the client reports the end of a sub-agent before or after the last answer differs between runs.
function isLateNotice({ messages }: RequestClues): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const since = messages.slice(last + 1).flatMap(({ parts }) => parts)
  const isFinal = messages[last]?.parts.every(({ kind }) => kind === 'text') === true
  return (
    isFinal &&
    since.length > 0 &&
    since.every((part) => part.kind === 'text' && part.text.trimStart().startsWith('<subagent_notification>'))
  )
}

// Before the first answer come instructions and what the client says of itself, in tags or under a heading of its own.
function givenPrompt({ messages }: RequestClues): string {
  const answered = messages.findIndex(({ role }) => role === 'assistant')
  const opening = answered < 0 ? messages : messages.slice(0, answered)
  const texts = opening.filter(({ role }) => role === 'user').flatMap(textsOf)
  return (texts.findLast((text) => !/^\s*(?:<\w+>|# AGENTS\.md instructions)/.test(text)) ?? '').trim()
}
