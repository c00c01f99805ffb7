import type { StreamSummary } from '../engines/stream.ts'
import type { MeterReading } from '../gateway/leases/lease.ts'
import { objectOf, stringOf, tryParseJson, type JsonValue } from '../lib/json.ts'
import type { Conversation } from '../recordings/conversation.ts'
import type { SessionResult } from '../sandbox/run.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** What is left when an engine's process tree is gone. */
export interface SessionEnd {
  readonly result: SessionResult
  /** What its stream told. */
  readonly stream: readonly UnnumberedEvent[]
  /** When each of these was seen, in milliseconds since 1970; absent where nothing was watched. */
  readonly times?: ReadonlyMap<UnnumberedEvent, number>
  /** In milliseconds since 1970; absent where no program was started. */
  readonly startedAt?: number
  /** Lines of its stream, where graders read them. */
  readonly trace?: readonly string[]
  readonly summary: StreamSummary
  readonly meter: MeterReading
  /** `null` where nothing listened. */
  readonly conversation: Conversation | null
  /** Whether it was ended because it had shown what it was made for. */
  readonly stopped: boolean
  /** Names of the tools that its requests offered; `null` or absent where that is not known. */
  readonly offered?: readonly string[] | null
  /** What it asked its user in vain, one sentence each; absent where nobody was to answer. */
  readonly unanswered?: readonly string[]
  /** Where its first request differs from that of the probe before it; absent where there was none. */
  readonly differs?: string | null
}

/** Lines of an engine's stream that are kept for graders. */
interface Trace {
  readonly lines: readonly string[]
  push(line: string): void
}

/** Keeps the lines of a stream that `claude plugin eval` keeps too: not those that only our flags ask for. */
export function createTrace(): Trace {
  const lines: string[] = []
  let length = 0
  return {
    lines,
    push(line) {
      if (line.trim() === '' || length + line.length > MAX_LENGTH || isOurs(line)) return
      lines.push(line)
      length += line.length
    },
  }
}

const MAX_LENGTH = 16 * 1024 * 1024

function isOurs(line: string): boolean {
  const { type, subtype, parent_tool_use_id: parent, message } = objectOf(tryParseJson(line))
  if (type === 'system') return stringOf(subtype).startsWith('hook_')
  const { content } = objectOf(message)
  const saysOnly = Array.isArray(content) && content.every((block: JsonValue) => objectOf(block)['type'] === 'text')
  return type === 'assistant' && typeof parent === 'string' && saysOnly
}
