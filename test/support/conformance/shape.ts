import type { TranscriptEvent } from '../../../src/transcript/transcript.ts'
import type { ConformingEngine } from './engines.ts'

type Dialect = Pick<ConformingEngine, 'delegates' | 'detours'>

/**
 * A transcript as every engine has to give it, a line for each event: first what the main thread did, then what
 * sub-agents did. An engine's own names for the calls of a skill, of a sub-agent and of what it forbids are left out, its
 * ways to get at other tools, and how often it tried again.
 */
export function shapeOf(transcript: readonly TranscriptEvent[], dialect: Dialect): readonly string[] {
  const detours = new Set(transcript.flatMap((event) => (isDetour(event, dialect) ? [event.id] : [])))
  const events = transcript
    .filter((event) => !('id' in event) || !detours.has(event.id))
    .filter((event, at, all) => event.kind !== 'notice' || !isInvalidAnswer(all[at - 1]))
  const lines = (isMain: boolean): readonly string[] =>
    events
      .filter(({ agent }) => (agent === null) === isMain)
      .map((event) => `${isMain ? '' : 'sub-agent '}${lineOf(event, transcript, dialect)}`)
  return [...lines(true), ...lines(false)].filter((line, at, all) => !isRepeatedRetry(line, all[at - 1]))
}

// Some engines say so, too.
function isInvalidAnswer(event: TranscriptEvent | undefined): boolean {
  return event?.kind === 'hook' && event.decision === 'invalid'
}

function isDetour(event: TranscriptEvent, { detours }: Dialect): event is Extract<TranscriptEvent, { id: string }> {
  return event.kind === 'tool-call' && detours.includes(event.tool)
}

function lineOf(event: TranscriptEvent, transcript: readonly TranscriptEvent[], { delegates }: Dialect): string {
  switch (event.kind) {
    case 'prompt':
      return `message ${event.turn} of the user`
    case 'message':
      return `writes: ${shorten(event.text)}`
    case 'tool-call':
      if (delegates.includes(event.tool)) return 'calls a sub-agent'
      if (isForbidden(event.id, transcript)) return 'calls a forbidden tool'
      return `calls ${isForSkill(event.id, transcript) ? 'for a skill' : event.tool}`
    case 'tool-result':
      if (event.blockedBy !== null) return `is blocked by the ${event.blockedBy}`
      return event.isError ? 'gets an error' : 'gets a result'
    case 'hook':
      // What is wrong with an answer is named with the hook's command, which holds a path.
      if (event.decision === 'invalid') return `hook ${event.event} invalid`
      return `hook ${event.event} ${event.decision}${event.reason === '' ? '' : `: ${event.reason}`}`
    case 'skill-used':
      return `skill ${event.skill}`
    case 'api-retry':
      return `retries after ${event.status}`
    case 'notice':
      return 'notice'
  }
}

function isForbidden(id: string, transcript: readonly TranscriptEvent[]): boolean {
  return transcript.some((event) => event.kind === 'tool-result' && event.id === id && event.blockedBy === 'permission')
}

function isForSkill(id: string, transcript: readonly TranscriptEvent[]): boolean {
  const result = transcript.findIndex((event) => event.kind === 'tool-result' && event.id === id)
  return result >= 0 && transcript[result + 1]?.kind === 'skill-used'
}

function isRepeatedRetry(line: string, before: string | undefined): boolean {
  return line.startsWith('retries after ') && line === before
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length})` : text
}
