/** A value that survives JSON in both directions. Everything that crosses a process is one. */
export type JsonValue = boolean | number | string | null | readonly JsonValue[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** Whether `value` is an object and neither `null` nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses JSON; `undefined` for a text that is none. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Writes a value as the text of a JSON file. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
