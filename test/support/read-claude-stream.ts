import { createReader } from '../../src/engines/claude-code/stream.ts'
import type { StreamSummary } from '../../src/engines/stream.ts'
import type { UnnumberedEvent } from '../../src/transcript/transcript.ts'

/** All that a stream told. */
export interface ReadStream {
  readonly events: readonly UnnumberedEvent[]
  readonly summary: StreamSummary
}

/** Reads lines, given as text or as what they hold. */
export function readStream(lines: readonly (string | object)[]): ReadStream {
  const reader = createReader()
  const events = lines.flatMap((line) => reader.line(typeof line === 'string' ? line : JSON.stringify(line)))
  return { events, summary: reader.end() }
}

/** All that the main thread said, message by message. */
export function messagesIn(events: readonly UnnumberedEvent[]): readonly string[] {
  return events.flatMap((event) => (event.kind === 'message' && event.agent === null ? [event.text] : []))
}
