import { parseJson } from '../documents/parse-json.ts'
import type { JsonValue } from '../json.ts'

/** Reads the JSON of a judge's text, or says in one sentence what is there instead. */
export function readJson(text: string): { readonly value: JsonValue } | { readonly malformed: string } {
  try {
    const value = JSON.parse(text) as JsonValue
    // Of two equal keys a parser keeps the last: which verdict was meant is unknown.
    const isAmbiguous = parseJson(text).mistakes.some(({ code }) => code === 'duplicate-key')
    return isAmbiguous ? { malformed: 'a key is in it twice' } : { value }
  } catch {
    return { malformed: describe(text.trim()) }
  }
}

function describe(start: string): string {
  if (start === '') return 'the answer is empty'
  if (start.startsWith('```')) return 'the answer is in a code fence'
  return start.startsWith('{') ? 'the answer is not valid JSON, or breaks off' : 'the answer is not JSON'
}
