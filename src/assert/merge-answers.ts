import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'

/** What several hooks answered as one: a later word replaces an earlier one, but no permission lifts a refusal. */
export function mergeAnswers(answers: readonly (JsonValue | undefined)[]): JsonValue | undefined {
  const given = answers.filter((answer) => answer !== undefined)
  if (given.length < 2) return given[0]
  if (!given.every(isJsonObject)) return given.at(-1)
  return given.reduce<JsonObject>((merged, answer) => mergeObjects(merged, answer), {})
}

function mergeObjects(earlier: JsonObject, later: JsonObject): JsonObject {
  const merged: Record<string, JsonValue | undefined> = { ...earlier }
  for (const [key, value] of Object.entries(later)) {
    const before = earlier[key]
    if (isJsonObject(before) && isJsonObject(value)) merged[key] = mergeObjects(before, value)
    else if (key !== 'permissionDecision' || strictness(value) >= strictness(before)) merged[key] = value
  }
  return merged
}

function strictness(decision: JsonValue | undefined): number {
  return typeof decision === 'string' ? ['allow', 'ask', 'deny'].indexOf(decision) : -1
}
