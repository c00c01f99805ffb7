import type { UnnumberedEvent } from '../../transcript/transcript.ts'
import type { StreamSummary } from '../engine.ts'

/** A remark of the engine; none for an empty text. */
export function notice(text: string, agent: string | null = null): readonly UnnumberedEvent[] {
  return text === '' ? [] : [{ kind: 'notice', agent, text }]
}

/** Reports a line that cannot be read. The first of a kind is shown, and then each tenth power: a flood stays readable. */
export function reportLine(
  count: number,
  text: string,
  what = 'is not JSON of the stream',
): readonly UnnumberedEvent[] {
  if (!Number.isInteger(Math.log10(count))) return []
  const which = count === 1 ? 'A line' : `The ${count}th line that`
  return notice(`${which} ${what}: ${text.slice(0, 120)}`)
}

/** What is known of a stream that tells only its messages. */
export function summaryOf(messages: readonly string[]): Omit<StreamSummary, 'problem' | 'status'> {
  return {
    version: null,
    sessionId: null,
    model: null,
    output: messages.join('\n\n'),
    finalMessage: messages.at(-1) ?? '',
    skills: null,
    hooksWithoutVerdict: 0,
  }
}
