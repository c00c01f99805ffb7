import { isUnchanged } from '../../checks/file-facts.ts'
import { isPathBelow } from '../../checks/nearest-path.ts'
import { writeName } from './foreign-text.ts'
import { withoutSpace } from '../../texts.ts'
import { originNote } from '../../transcript/select.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'
import type { TranscriptEvent } from '../../transcript/transcript.ts'
import type { EvidenceItem } from './evidence-item.ts'

type Changes = AgentRun['files']

/** A run as evidence. How it ended is evidence where it is known. */
export type EvidenceRun = Pick<AgentRun, 'files' | 'output' | 'transcript'> &
  Partial<Pick<AgentRun, 'durationMs' | 'exitCode' | 'problem' | 'requests' | 'status' | 'stopReason'>>

/**
 * Lists what a run did: tool calls, results, hook decisions, changes of files. What the agent says of itself on the main
 * thread is in the output instead.
 */
export function listTranscript(
  run: EvidenceRun,
  fixtures: readonly string[],
  vault: readonly string[] = [],
): readonly EvidenceItem[] {
  const { transcript, files } = run
  const delegations = new Set(
    transcript.flatMap((event) => (event.kind === 'tool-call' && DELEGATES.test(event.tool) ? [event.id] : [])),
  )
  const inputs = new Map(
    transcript.flatMap((event) => (event.kind === 'tool-call' ? [[event.id, stringsIn(event.input)] as const] : [])),
  )
  const events = transcript.flatMap((event) => {
    const item = itemOf(event, delegations)
    if (item === null) return []
    const by = event.agent === null ? '' : `(sub-agent ${writeName(event.agent)}) `
    const given = event.kind === 'tool-call' || event.kind === 'tool-result' ? inputs.get(event.id) : undefined
    const own = given === undefined ? {} : { given }
    return [{ ...item, ...own, place: 'transcript', id: `e${event.n}`, head: `${by}${item.head}${originNote(event)}` }]
  })
  const changes = [...changesOf(files), ...fixtures.map((path) => fixtureLine(path, files))]
  return [
    ...(vault.length === 0 ? [] : [fact(`file list of the agent: ${vault.map(writeName).join(', ')}`, 'f0')]),
    ...(transcript.some(({ kind }) => kind === 'tool-call') ? [] : [fact('No tool was called.', 'e0')]),
    ...events,
    ...changes.map((line, index) => fact(line, `c${index + 1}`)),
    ...endOf(run).map((line, index) => fact(line, `r${index + 1}`)),
  ]
}

function endOf({ status, exitCode, problem, requests, durationMs, stopReason }: EvidenceRun): readonly string[] {
  if (status === undefined) return []
  const exit = exitCode == null ? '' : `, exit code ${exitCode}`
  return [
    `run ended: status ${status}${exit}`,
    ...(problem == null ? [] : [`run ended because of: ${writeName(problem)}`]),
    ...(requests === undefined ? [] : [`run turns: ${requests} requests to the model`]),
    ...(stopReason === undefined ? [] : [`run stop reason: the last answer of the model ended with ${stopReason}`]),
    ...(durationMs === undefined ? [] : [`run time: ${Math.round(durationMs / 1000)} s`]),
  ]
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

// What a sub-agent reports of its work is a claim too.
const DELEGATES = /^(?:Agent|Task|TaskOutput|spawn_agent|wait|wait_agent|task|read_agent)$/

/**
 * Lists the agent's messages, with the number of each message's event, so that they can be ordered with the agent's deeds.
 * The output as one text where the transcript does not hold all of it.
 */
export function listOutput({ output, transcript }: Pick<AgentRun, 'output' | 'transcript'>): readonly EvidenceItem[] {
  const messages = transcript.filter((event) => event.kind === 'message').filter(({ agent }) => agent === null)
  const spokenText = messages.map(({ text }) => text).join(' ')
  const item = { place: 'output', isFact: false, author: 'agent' } as const
  if (messages.length === 0 || withoutSpace(spokenText) !== withoutSpace(output))
    return [{ ...item, id: 'm0', head: 'all messages', body: output }]
  return messages.map(({ n, text }, index) => {
    const head = index === messages.length - 1 ? 'the final message' : 'message'
    return { ...item, id: `m${n}`, head, body: text }
  })
}

function fact(head: string, id: string): EvidenceItem {
  return { place: 'transcript', id, head, isFact: true, body: null, author: 'system' }
}

type EventItem = Omit<EvidenceItem, 'id' | 'place'> & { readonly head: string }

function itemOf(event: TranscriptEvent, delegations: ReadonlySet<string>): EventItem | null {
  switch (event.kind) {
    case 'message':
      return event.agent === null
        ? {
            head: `message of ${event.text.length} characters, see the output`,
            isFact: false,
            body: null,
            author: 'system',
          }
        : { head: 'message', isFact: false, body: event.text, author: 'agent' }
    case 'tool-call':
      return {
        head: `tool call ${writeName(event.tool)}`,
        isFact: true,
        body: JSON.stringify(event.input),
        author: 'call',
      }
    case 'tool-result':
      return {
        head: resultName(event),
        isFact: event.blockedBy !== null,
        body: event.text,
        author: delegations.has(event.id) ? 'agent' : 'tool',
      }
    case 'skill-used':
      return { head: `skill used: ${writeName(event.skill)}`, isFact: true, body: null, author: 'system' }
    case 'hook':
      return { ...hookItem(event), isFact: true, author: 'hook' }
    case 'api-retry':
    case 'notice':
      return null
  }
}

function resultName({ isError, blockedBy }: Extract<TranscriptEvent, { kind: 'tool-result' }>): string {
  if (blockedBy !== null) return `tool call blocked by the ${blockedBy}`
  return isError ? 'tool error' : 'tool result'
}

function hookItem({ event, tool, decision, reason, told = [] }: Extract<TranscriptEvent, { kind: 'hook' }>): {
  readonly head: string
  readonly body: string | null
} {
  const target = tool === null ? '' : ` for ${writeName(tool)}`
  // What it told only its own record, or the user, proves nothing about what the model was given.
  const seen = told.filter(({ what, reachedModel, text }) => reachedModel && what !== 'reason' && text !== reason)
  const texts = [reason, ...seen.map(({ text }) => text)].map((text) => text.trim()).filter((text) => text !== '')
  return {
    head: `hook ${writeName(event)}${target} decided ${decision}`,
    body: texts.length === 0 ? null : texts.join('\n'),
  }
}

function changesOf({ created, modified, deleted, unreadable }: Changes): readonly string[] {
  const lines = [
    ...created.map(({ path, size }) => `file created: ${writeName(path)} (${size} bytes)`),
    ...modified.map(({ path, size }) => `file modified: ${writeName(path)} (${size} bytes)`),
    ...deleted.map((path) => `file deleted: ${writeName(path)}`),
    ...unreadable.map(({ path, reason }) => `file ${writeName(path)} ${reason}`),
  ]
  return lines.length === 0 ? ['No file was created, modified or deleted.'] : lines
}

// What stayed as it was is in no list of changes, and a judge is asked about that too.
function fixtureLine(fixture: string, files: Changes): string {
  const state = isUnchanged(fixture, files)
  if (state.is === 'yes') return `fixture unchanged: ${writeName(fixture)}`
  if (state.is === 'unknown') return `fixture unknown: ${writeName(fixture)} (${writeName(state.because)})`
  const gone = files.deleted.some((path) => isPathBelow(path, fixture))
  return `fixture ${gone ? 'deleted' : 'changed'}: ${writeName(fixture)}`
}
