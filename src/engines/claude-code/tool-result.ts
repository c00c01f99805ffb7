import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { objectsOf, stringOf } from '../../json-fields.ts'
import { isSandboxDenial } from '../stream/sandbox-denial.ts'
import type { Blocker } from '../../transcript/transcript.ts'

/** What {@link blockerOf} judges by. */
export interface ResultFacts {
  readonly id: string
  readonly isError: boolean
  readonly text: string
  /** The line's `tool_result_meta`. */
  readonly meta: JsonValue | undefined
  /** Reason of an earlier `permission_denied` for this call. */
  readonly denied: string | undefined
}

/** Who stopped a tool call; `null` when it ran. */
export function blockerOf({ id, isError, text, meta, denied }: ResultFacts): Blocker | null {
  if (!isError) return null
  const decision = decisionFor(id, meta)
  // A hook that asks is denied for want of a person, and that is booked under the configuration.
  if (denied !== undefined) return denied === 'hook' ? 'hook' : 'permission'
  if (decision?.['decision'] === 'reject') return decision['source'] === 'hook' ? 'hook' : 'permission'
  if (decision === null && /^\w+(?::\S+)? hook error: /.test(text)) return 'hook'
  return isSandboxDenial(text) ? 'sandbox' : null
}

/** The text of a tool result; what is no text is named. */
export function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  return objectsOf(content)
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : `[${stringOf(block['type'])}]`))
    .join('\n')
}

function decisionFor(id: string, meta: JsonValue | undefined): JsonObject | null {
  const decision = objectsOf(meta).find((candidate) => candidate['id'] === id)?.['permission_decision']
  return isJsonObject(decision) ? decision : null
}
