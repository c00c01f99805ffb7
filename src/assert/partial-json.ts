import { isJsonObject, type JsonValue } from '../json.ts'

/** Whether everything in `expected` is in `actual`: objects may hold more, lists have the same length. */
export function matchesPartially(actual: JsonValue | undefined, expected: JsonValue | undefined): boolean {
  if (Array.isArray(expected)) {
    const list: readonly JsonValue[] = expected
    if (!Array.isArray(actual)) return false
    const found: readonly JsonValue[] = actual
    return found.length === list.length && list.every((item, index) => matchesPartially(found[index], item))
  }
  if (!isJsonObject(expected)) return actual === expected
  if (!isJsonObject(actual)) return false
  return Object.keys(expected).every(
    (key) => Object.hasOwn(actual, key) && matchesPartially(actual[key], expected[key]),
  )
}

/** What of `actual` is compared with `expected`, so that a diff shows nothing else. */
export function comparedPart(actual: JsonValue | undefined, expected: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const list: readonly JsonValue[] = expected
    return actual.map((item: JsonValue, index) => comparedPart(item, list[index]) ?? null)
  }
  if (!isJsonObject(expected) || !isJsonObject(actual)) return actual
  const keys = Object.keys(expected).filter((key) => Object.hasOwn(actual, key))
  return Object.fromEntries(keys.map((key) => [key, comparedPart(actual[key], expected[key])]))
}
