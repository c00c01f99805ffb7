import type { UnnumberedEvent } from '../transcript/transcript.ts'
import { isJsonObject, tryParseJson, type JsonValue } from '../json.ts'

/** Lines of an engine's stream that are kept for graders. */
export interface Trace {
  readonly lines: readonly TraceLine[]
  push(line: string, events: readonly UnnumberedEvent[]): void
}

/** A line with what it tells. */
export interface TraceLine {
  readonly line: string
  readonly events: readonly UnnumberedEvent[]
}

/** Keeps the lines of a stream that `claude plugin eval` keeps too: not those that only our flags ask for. */
export function createTrace(): Trace {
  const lines: TraceLine[] = []
  let length = 0
  return {
    lines,
    push(line, events) {
      if (line.trim() === '' || length + line.length > MAX_LENGTH || isOurs(line)) return
      lines.push({ line, events })
      length += line.length
    },
  }
}

const MAX_LENGTH = 16 * 1024 * 1024

function isOurs(line: string): boolean {
  const value = tryParseJson(line)
  if (!isJsonObject(value)) return false
  const { type, subtype, parent_tool_use_id: parent, message } = value
  if (type === 'system') return typeof subtype === 'string' && subtype.startsWith('hook_')
  return type === 'assistant' && typeof parent === 'string' && saysOnly(message)
}

function saysOnly(message: JsonValue | undefined): boolean {
  const content = isJsonObject(message) ? message['content'] : undefined
  return Array.isArray(content) && content.every((block) => isJsonObject(block) && block['type'] === 'text')
}
