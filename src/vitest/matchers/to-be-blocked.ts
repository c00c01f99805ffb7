import type { Blocker, TranscriptEvent } from '../../transcript/transcript.ts'
import { noteCheck } from './note-check.ts'
import { expectation, listed, requireRun, type MatcherResult, type MatcherState } from './received.ts'

/** Who must have blocked the call. Default: any of them. */
export interface BlockedBy {
  readonly by?: Blocker
}

/** Passes when something stopped the agent: a hook, the permission system or the sandbox. */
export function toBeBlocked(this: MatcherState, received: unknown, { by }: BlockedBy = {}): MatcherResult {
  const run = requireRun(received, 'toBeBlocked')
  const blockers = run.transcript.flatMap(blockersOf)
  return noteCheck(this, received, 'toBeBlocked', by === undefined ? 'anyone' : by, {
    pass: by === undefined ? blockers.length > 0 : blockers.some((found) => found.by === by),
    message: () =>
      expectation(this, `be blocked${by === undefined ? '' : ` by a ${by}`}`) +
      listed('Blocked', [...new Set(blockers.map((found) => `by ${found.by}: ${found.what}`))]),
  })
}

interface Found {
  readonly by: Blocker
  readonly what: string
}

function blockersOf(event: TranscriptEvent): readonly Found[] {
  if (event.kind === 'tool-result' && event.blockedBy !== null) return [{ by: event.blockedBy, what: event.text }]
  if (event.kind !== 'hook') return []
  const blocks = event.decision === 'blocked-exit-2' || event.decision === 'denied-json'
  return blocks ? [{ by: 'hook', what: `${event.event} ${event.tool ?? ''}`.trim() }] : []
}
