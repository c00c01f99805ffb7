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

/** Reads the JSON that is the whole of a text; `undefined` when it is none. */
export function parseJsonText(text: string): JsonValue | undefined {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Whether a text is only the start and the end of what was printed. */
export function isCut(text: string): boolean {
  return text.length > 500_000 && /\n\[\d+ bytes left out\]\n/.test(text)
}
