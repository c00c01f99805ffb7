import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** A field of a stream whose shape is not guaranteed: its text, or an empty one. */
export function stringOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
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
