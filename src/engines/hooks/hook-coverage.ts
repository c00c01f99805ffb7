import { matchesWhole } from '../../patterns.ts'
import type { UnnumberedEvent } from '../../transcript/transcript.ts'

/** What is known of how an engine runs hooks, so that what they left can be compared with what it did. */
export interface HookCoverage {
  /**
   * Whether a call with this result ran the hooks of an event that match its tool, for sure: an engine refuses some calls
   * before it asks a hook. Absent results are those of calls that did not end.
   */
  isSure(event: 'pre-tool-use' | 'post-tool-use', call: EndedCall): boolean
  /** Whether a result that a hook blocked shows that the hook broke, where the engine takes that for a denial. */
  isBroken?(result: EndedCall['result']): boolean
  /** Whether a call of this tool makes further ones, whose ids only hooks learn. */
  hidesCalls(tool: string): boolean
  /** Tools that change no file. */
  readonly readers: readonly string[]
}

/** A call and what came of it. */
export interface EndedCall {
  readonly call: Extract<UnnumberedEvent, { kind: 'tool-call' }>
  readonly result: Extract<UnnumberedEvent, { kind: 'tool-result' }>
}

/** A hook that ran, as the engine's own stream shows it. */
export interface HookRun {
  /** Universal event name. */
  readonly event: string
  readonly tool: string | null
  readonly exitCode: number | null
}

/** Whether a matcher names a tool in every reading: engines differ in whether it must match the name as a whole. */
export function namesTool(matcher: string | null, tool: string): boolean {
  return matcher === null || matchesWhole(matcher, tool)
}
