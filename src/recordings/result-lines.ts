import { createHash } from 'node:crypto'
import type { HeardResult } from '../conversation/conversation.ts'
import type { RecordedResult } from './recording.ts'

/** What a recording keeps of a tool's result. What the engine adds to it in reminders is none of the tool's. */
export function recordResult({ id, text, isError }: HeardResult): RecordedResult {
  const plain = text
    .replaceAll(/\s*<system-reminder>[^]*?<\/system-reminder>/g, '')
    // Numbers of shells go by which of several calls came first.
    .replaceAll(/\bshellId: \d+/g, 'shellId: #')
    .trimEnd()
  const kept = plain.length <= KEPT ? plain : plain.slice(0, cutOf(plain))
  const rest = plain.slice(kept.length)
  return {
    id,
    isError,
    lines: kept === '' ? [] : kept.replace(/\n$/, '').split('\n'),
    rest: rest === '' ? null : createHash('sha256').update(rest).digest('hex').slice(0, 12),
    unstable: [],
    varies: false,
  }
}

/** Characters of a result that are kept. */
const KEPT = 2048

// After a whole line, unless the first is longer than that.
function cutOf(text: string): number {
  const end = text.lastIndexOf('\n', KEPT - 1)
  return end <= 0 ? KEPT : end + 1
}
