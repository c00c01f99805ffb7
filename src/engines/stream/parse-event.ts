import { isJsonObject, tryParseJson, type JsonObject } from '../../json.ts'

/** One line of a CLI's stream of JSON; `null` for whatever else it prints. */
export function parseEvent(line: string): JsonObject | null {
  const value = tryParseJson(line)
  return isJsonObject(value) && typeof value['type'] === 'string' ? value : null
}
