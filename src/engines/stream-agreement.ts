import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** How the calls of an engine's stream compare with those that the gateway saw the model make. */
export interface StreamAgreement {
  /** Whether a call is not compared: one that the engine makes by itself, or that it names in its own way. */
  isOwnCall(call: Extract<UnnumberedEvent, { kind: 'tool-call' }>): boolean
  /** One name for a tool, from that of the model or of the stream. */
  toolOf(name: string): string
}
