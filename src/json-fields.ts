import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** A field of a stream whose shape is not guaranteed: its text, or an empty one. */
export function stringOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** The text of a field; `null` where it holds something else. */
export function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** As {@link stringOf}: the object, or an empty one. */
export function objectOf(value: JsonValue | undefined): JsonObject {
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
