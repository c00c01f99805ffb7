import type { JsonValue } from '../json.ts'

/** What a free test has brought forth, for its assertions. */
export interface Output {
  /** `null` when it was ended by a signal, or when no process ran. */
  readonly exitCode: number | null
  /** Such as `SIGSEGV`. */
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** The JSON on stdout; `undefined` when it is none. */
  readonly json: JsonValue | undefined
}

/** What was kept of a text that was printed: the whole, or its start and its end. */
export function keptParts(text: string): readonly string[] {
  return text.length > KEPT_AT_LEAST ? text.split(/\n\[\d+ bytes left out\]\n/) : [text]
}

// A shorter text is whole, whatever it says of itself.
const KEPT_AT_LEAST = 500_000
