import { textsOf } from '../conversation/model.ts'
import { sha256 } from '../sha256.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { Thread, ModelMessage } from '../conversation/model.ts'

/**
 * The thread of a sub-agent of Copilot, which says on every API that a sub-agent asks, and not which: only what it was
 * given, with the time, tells it from the others. `null` for all other requests.
 */
export function delegatedThread(headers: IncomingHttpHeaders, messages: readonly ModelMessage[]): Thread | null {
  if (headers['x-interaction-type'] !== 'conversation-subagent') return null
  const [opening = ''] = textsOf(messages.find(({ role }) => role === 'user'))
  const id = sha256(opening, 16)
  return { kind: 'agent', id, prompt: opening.replace(/^\s*<current_datetime>[^<]*<\/current_datetime>/, '').trim() }
}
