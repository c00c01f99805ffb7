import { originNote } from '../transcript/select.ts'
import type { PageEvent } from '../report/page/parse-transcript.ts'

/** The heading of an event, in the words in which a judge is shown it: a quote of it can be marked here. */
export function describeEvent(event: PageEvent): string {
  return `${nameEvent(event)}${originNote(event)}`
}

function nameEvent(event: PageEvent): string {
  switch (event.kind) {
    case 'message':
      return 'message'
    case 'tool-call':
      return `tool call ${event.tool}`
    case 'tool-result':
      if (event.blockedBy !== null) return `tool call blocked by the ${event.blockedBy}`
      return event.isError ? 'tool error' : 'tool result'
    case 'skill-used':
      return `skill used: ${event.skill}`
    case 'hook':
      return `hook ${event.event}${event.tool === null ? '' : ` for ${event.tool}`} decided ${event.decision}`
    case 'api-retry':
      return `API request repeated${event.status === null ? '' : ` after status ${event.status}`}`
    case 'notice':
      return 'notice'
  }
}
