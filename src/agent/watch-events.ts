import type { StreamReader, StreamSummary } from '../engines/engine.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** The events of one run as they come. */
export interface WatchedEvents {
  /** Takes one line of the engine's stream; returns the events that it held. */
  readonly line: (text: string) => readonly UnnumberedEvent[]
  /** What was seen so far. */
  readonly events: readonly UnnumberedEvent[]
  /** Aborts when the run may be ended. */
  readonly stop: AbortSignal
  /** Whether the deciding event was seen. */
  readonly isOver: () => boolean
  /** When each event was seen, in milliseconds after the start. */
  readonly times: ReadonlyMap<UnnumberedEvent, number>
  readonly end: () => { readonly events: readonly UnnumberedEvent[]; readonly summary: StreamSummary }
}

/**
 * Reads a run up to the event that decides it, if there is to be one. What the engine gets done before it is ended is
 * left out, so that a run and its replay show the same.
 */
export function watchEvents(
  reader: StreamReader,
  endsAfter: ((event: UnnumberedEvent) => boolean) | undefined,
  settled: () => Promise<void>,
): WatchedEvents {
  const events: UnnumberedEvent[] = []
  const times = new Map<UnnumberedEvent, number>()
  const startedAt = performance.now()
  const stop = new AbortController()
  let isOver = false
  const take = (event: UnnumberedEvent): void => {
    if (isOver) return
    events.push(event)
    times.set(event, Math.round(performance.now() - startedAt))
    if (endsAfter?.(event) !== true) return
    isOver = true
    events.push(ENDED)
    void settled()
      .catch(ignoreLostGateway)
      .finally(() => stop.abort())
  }
  return {
    line: (text) => {
      const found = isOver ? [] : reader.line(text)
      for (const event of found) take(event)
      return found
    },
    events,
    times,
    stop: stop.signal,
    isOver: () => isOver,
    end: () => ({ events, summary: reader.end() }),
  }
}

const ENDED: UnnumberedEvent = {
  kind: 'notice',
  agent: null,
  text: 'The run was ended here, because later events cannot change its result.',
}

// A gateway that is gone ends the run by itself.
function ignoreLostGateway(): void {}
