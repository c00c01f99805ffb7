import type { JsonObject, JsonValue } from '../../json.ts'

/** How a runtime sends events to hooks. Pure. */
export interface HookRuntime {
  /** Its name for people. */
  readonly title: string
  /** Fields of every event. */
  readonly fields: JsonObject
  /** The tool call as it sends it; a text says why it never sends such a one. */
  readonly toolCall: (name: JsonValue | undefined, input: JsonValue | undefined) => JsonObject | string
  /** Variables of a hook's process. */
  readonly variables: (packageRoot: string) => Readonly<Record<string, string>>
}
