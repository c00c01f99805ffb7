import { cutMiddle } from './cut.ts'
import { isPathBelow } from '../checks/nearest-path.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { TranscriptEvent } from '../transcript/transcript.ts'

/** How many characters of one part of an event are kept. */
export interface DigestLimits {
  readonly result: number
  readonly input: number
}

/**
 * Tells what a run did in our words: numbered tool calls, their results, hook decisions, changes of files. What the
 * agent says of itself on the main thread is not in it; that is the output.
 */
export function digestRun(
  run: Pick<AgentRun, 'files' | 'transcript'>,
  limits: DigestLimits,
  fixtures: readonly string[] = [],
): string {
  const events = run.transcript.flatMap((event) => {
    const line = lineOf(event, limits)
    return line === null ? [] : [`${event.n}. ${event.agent === null ? '' : `(sub-agent ${event.agent}) `}${line}`]
  })
  return [
    ...(events.length === 0 ? ['No tool was called.'] : events),
    ...changesOf(run.files),
    ...fixtures.map((path) => fixtureLine(path, run.files)),
  ].join('\n')
}

function lineOf(event: TranscriptEvent, limits: DigestLimits): string | null {
  switch (event.kind) {
    case 'message':
      return event.agent === null
        ? `message of ${event.text.length} characters, see the output`
        : `message: ${cutMiddle(event.text, limits.result)}`
    case 'tool-call':
      return `tool call ${event.tool} ${cutMiddle(JSON.stringify(event.input), limits.input)}`
    case 'tool-result':
      return `${resultName(event)}: ${cutMiddle(event.text, limits.result)}`
    case 'skill-used':
      return `skill used: ${event.skill}`
    case 'hook':
      return hookLine(event)
    case 'api-retry':
    case 'notice':
      return null
  }
}

function resultName({ isError, blockedBy }: Extract<TranscriptEvent, { kind: 'tool-result' }>): string {
  if (blockedBy !== null) return `tool call blocked by the ${blockedBy}`
  return isError ? 'tool error' : 'tool result'
}

function hookLine({ event, tool, decision, reason }: Extract<TranscriptEvent, { kind: 'hook' }>): string {
  const said = reason.trim() === '' ? '' : `: ${reason.trim()}`
  return `hook ${event}${tool === null ? '' : ` for ${tool}`} decided ${decision}${said}`
}

function changesOf({ created, modified, deleted, unreadable }: AgentRun['files']): readonly string[] {
  const lines = [
    ...created.map(({ path, size }) => `file created: ${path} (${size} bytes)`),
    ...modified.map(({ path, size }) => `file modified: ${path} (${size} bytes)`),
    ...deleted.map((path) => `file deleted: ${path}`),
    ...unreadable.map(({ path, reason }) => `file ${path} ${reason}`),
  ]
  return lines.length === 0 ? ['No file was created, modified or deleted.'] : lines
}

// What stayed as it was is in no list of changes, and a judge is asked about that too.
function fixtureLine(fixture: string, { modified, deleted }: AgentRun['files']): string {
  const changed = modified.some(({ path }) => isPathBelow(path, fixture))
  const gone = deleted.some((path) => isPathBelow(path, fixture))
  return `fixture ${gone ? 'deleted' : changed ? 'changed' : 'unchanged'}: ${fixture}`
}
