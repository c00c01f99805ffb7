import type { Lease } from './create-lease.ts'
import type { ModelRequest } from '../../conversation/model.ts'

/** What one run is doing at the moment. */
export interface RunActivity {
  /** What the worker calls it: the case, and which of its runs. */
  readonly label: string
  /** Milliseconds since it was granted. */
  readonly elapsedMs: number
  /** The last tool that its model has called; `null` when it has called none. */
  readonly lastTool: string | null
  /** US dollars; `null` when it is not known. */
  readonly costUsd: number | null
}

/** The runs that are under way, the longest first. */
export function listActivities(leases: readonly Lease[]): readonly RunActivity[] {
  return leases
    .map((lease) => ({
      label: lease.label,
      elapsedMs: performance.now() - lease.grantedAt,
      lastTool: lease.lastTool(),
      costUsd: lease.meter.reading().costUsd,
    }))
    .toSorted((a, b) => b.elapsedMs - a.elapsedMs)
}

/** The tool that was called last in a conversation; `null` for none. It is named when the model is asked again. */
export function lastToolOf({ messages }: Pick<ModelRequest, 'messages'>): string | null {
  for (const { parts } of messages.toReversed()) {
    const call = parts.findLast((part) => part.kind === 'tool-call')
    if (call !== undefined) return call.name
  }
  return null
}
