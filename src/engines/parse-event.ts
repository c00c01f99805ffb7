import { isJsonObject, type JsonObject } from '../json.ts'

/** One line of a CLI's stream of JSON; `null` for whatever else it prints. */
export function parseEvent(line: string): JsonObject | null {
  try {
    const value = JSON.parse(line) as unknown
    return isJsonObject(value) && typeof value['type'] === 'string' ? value : null
  } catch {
    return null
  }
}
