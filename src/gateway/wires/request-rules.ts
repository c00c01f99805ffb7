import type { JsonObject, JsonValue } from '../../json.ts'

/** What the requests of a wire may hold. */
export interface RequestRules {
  /** Names of the top-level fields that are forwarded; all others are left out. */
  readonly fields: ReadonlySet<string>
  /** The first thing by which the API would reach something for the session; `null` when there is none. */
  findForbidden(body: JsonObject, access: RequestAccess): Forbidden | null
}

/** What a session may have the API do. */
export interface RequestAccess {
  /** Whether it may use the network, and so the web tools that run at the API. */
  readonly network: boolean
}

export interface Forbidden {
  /** Behind "The session sent …". */
  readonly what: string
  /** Whether it is a web tool, which an agent may try without being hostile. */
  readonly isWebTool: boolean
}

export function forbidden(what: string, isWebTool = false): Forbidden {
  return { what, isWebTool }
}

/** A request as it may be forwarded, and what was left out. */
export interface FilteredBody {
  readonly body: JsonObject
  readonly removed: readonly string[]
}

/** Leaves out the top-level fields that a wire does not know. */
export function filterFields(body: JsonObject, { fields }: RequestRules): FilteredBody {
  const entries = Object.entries(body)
  return {
    body: Object.fromEntries(entries.filter(([name]) => fields.has(name))),
    removed: entries.flatMap(([name]) => (fields.has(name) ? [] : [name])),
  }
}

/** A field that is there and is neither `null` nor `false`. */
export function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== false
}

/** The name of a field or of a type, short enough for a message. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length <= 60 ? name : `${name.slice(0, 59)}…`)
}
