import type { JsonValue } from '../json.ts'

/** One value of a tool's input as it is shown. */
export interface InputText {
  /** Such as `.todos.0.text`; empty for an input that is no object. */
  readonly path: string
  readonly text: string
}

/** The values of a tool's input, one by one: texts as they were meant and not as JSON writes them. */
export function inputTexts(input: JsonValue | undefined, path = ''): readonly InputText[] {
  if (typeof input === 'string') return [{ path, text: input }]
  if (typeof input !== 'object' || input === null) return input === undefined ? [] : [{ path, text: String(input) }]
  const entries = Object.entries(input)
  if (entries.length === 0) return [{ path, text: Array.isArray(input) ? '[]' : '{}' }]
  return entries.flatMap(([key, value]) => inputTexts(value, `${path}.${key}`))
}
