import { withoutReminders } from '../conversation/reminders.ts'
import { sha256 } from '../sha256.ts'
import type { ObservedResult } from '../conversation/conversation.ts'
import type { AnswerBlock } from '../conversation/model.ts'
import type { RecordedLines, RecordedResult } from './recording.ts'
import type { ResultForm } from './result-form.ts'

/** What a recording keeps of a tool's result. What the engine adds to it in reminders is none of the tool's. */
export function recordResult(
  { id, text, isError }: ObservedResult,
  tool: string | null,
  form: ResultForm,
): RecordedResult {
  return { id, isError, ...recordLines(text, tool, form) }
}

/** What a recording keeps of a text. */
export function recordLines(text: string, tool: string | null, form: ResultForm): RecordedLines {
  const plain = withoutReminders(text)
    .trimEnd()
    .split('\n')
    .map((line) => form(line, tool))
    .join('\n')
  const kept = plain.length <= KEPT ? plain : plain.slice(0, cutOf(plain))
  const rest = plain.slice(kept.length)
  return {
    lines: kept === '' ? [] : kept.replace(/\n$/, '').split('\n'),
    rest: rest === '' ? null : sha256(rest, 12),
    unstable: [],
    varies: false,
  }
}

/** Names of the called tools by the id of the call. */
export function toolsOf(turns: readonly Turn[]): ReadonlyMap<string, string> {
  const blocks = turns.flatMap(({ answer }) => answer?.content ?? [])
  return new Map(blocks.flatMap((block) => (block.kind === 'tool-call' ? [[block.id, block.name] as const] : [])))
}

interface Turn {
  readonly answer: { readonly content: readonly AnswerBlock[] } | null
}

/** Characters of a result that are kept. */
const KEPT = 2048

// After a whole line, unless the first is longer than that.
function cutOf(text: string): number {
  const end = text.lastIndexOf('\n', KEPT - 1)
  return end <= 0 ? KEPT : end + 1
}
