import type { PageEvent } from '../../report/page/parse-transcript.ts'

/** Which events of a run to show. */
export interface EventFilter {
  readonly kind: EventGroup
  /** Name of a sub-agent, or the main thread; `null` for all. */
  readonly thread: string | null
}

/** A group of events that a reader may look for. */
export type EventGroup = 'all' | 'messages' | 'problems' | 'tools'

/** The name of the main thread in a filter: no sub-agent has it. */
export const MAIN_THREAD = ''

/** Everything. */
export const ALL_EVENTS: EventFilter = { kind: 'all', thread: null }

/** Whether an event passes a filter. */
export function isShown(event: PageEvent, { kind, thread }: EventFilter): boolean {
  return (thread === null || (event.agent ?? MAIN_THREAD) === thread) && isOf(event, kind)
}

/** How bad an event is: something was stopped, something went wrong, or neither. */
export function toneOf(event: PageEvent): '' | 'blocked' | 'error' {
  if (event.kind === 'tool-result') return event.blockedBy !== null ? 'blocked' : event.isError ? 'error' : ''
  if (event.kind === 'api-retry') return 'error'
  if (event.kind !== 'hook' || event.decision === 'allowed') return ''
  return /blocked|denied/.test(event.decision) ? 'blocked' : 'error'
}

function isOf(event: PageEvent, group: EventGroup): boolean {
  switch (group) {
    case 'all':
      return true
    case 'messages':
      return event.kind === 'message'
    case 'tools':
      return event.kind === 'tool-call' || event.kind === 'tool-result' || event.kind === 'skill-used'
    case 'problems':
      return toneOf(event) !== ''
  }
}
