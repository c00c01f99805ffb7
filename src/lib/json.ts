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

/** A value in which all that is neither a list nor an object is replaced by what it comes to, however deep. */
export function mapLeaves<Value>(value: Value, change: (leaf: unknown) => unknown): Value {
  const map = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(map)
    if (!isJsonObject(one)) return change(one)
    return Object.fromEntries(Object.entries(one).map(([key, item]) => [key, map(item)]))
  }
  return map(value) as Value
}

/** Writes a value as the text of a JSON file. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** A field of a stream whose shape is not guaranteed: its text, or an empty one. */
export function stringOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** The text of a field; `null` where it holds something else. */
export function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** As {@link stringOf}: the object, or an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** As {@link stringOf}: the objects of a list. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** As {@link stringOf}: a count, which is finite and not negative, or 0. */
export function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

/** Every text in a value, however deep. */
export function stringsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}
