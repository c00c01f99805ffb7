import { isPathBelow, isUnchanged } from '../../checks/file-facts.ts'
import { sumOf } from '../../lib/lists.ts'
import { withoutSpace } from '../../lib/text.ts'
import { originNote } from '../../transcript/select.ts'
import type { AgentRun, TranscriptEvent } from '../../transcript/transcript.ts'
import { termsOf, type StatementTerms } from '../statement-kinds.ts'
import {
  cutAround,
  cutEnds,
  type EvidenceItem,
  type EvidenceText,
  type ShownEvidence,
  type ShownItem,
  type ShownSection,
} from './evidence-item.ts'
import { writeName } from './write-evidence.ts'

/** What evidence is chosen from, and for which statements. */
export interface EvidenceRequest {
  readonly run: EvidenceRun
  /** Texts that the run created or modified. */
  readonly files: readonly EvidenceText[]
  /** Paths in the workspace that the case has put there and that a run may have changed. */
  readonly fixtures?: readonly string[]
  /** Files of the agent's own folder, which are as they were. */
  readonly vault?: readonly string[]
  readonly statements: readonly string[]
  /** What else the evidence should show, such as what failed checks say. */
  readonly clues?: readonly string[]
}

/**
 * Chooses what a judge is shown: everything where it fits, else each item's beginning, then what the statements name, then
 * what came last.
 *
 * @param share - of the usual number of characters; a second look at few statements may take more.
 */
export function selectEvidence(
  { run, files, fixtures = [], vault = [], statements, clues = [] }: EvidenceRequest,
  share = 1,
): ShownEvidence {
  const terms = termsOf([...statements, ...clues])
  const items = files.map(({ name, text }, index): EvidenceItem => {
    return { id: `f${index + 1}`, place: name, head: null, isFact: false, body: text, author: 'file' }
  })
  const read = new Set(files.map(({ name }) => name))
  return {
    transcript: selectItems(listTranscript(run, fixtures, vault), LIMITS.transcript, share, terms),
    output: selectItems(listOutput(run), LIMITS.output, share, terms),
    files: selectItems(items, LIMITS.files, share, terms),
    unread: [...run.files.modified, ...run.files.created].map(({ path }) => path).filter((path) => !read.has(path)),
  }
}

/** The same evidence without anything left out. */
export function wholeEvidence(evidence: ShownEvidence): ShownEvidence {
  const { transcript, output, files, unread } = evidence
  return { transcript: uncut(transcript), output: uncut(output), files: uncut(files), unread }
}

function uncut({ shown, leftOut }: ShownSection): ShownSection {
  const items = [...shown, ...leftOut]
  return { shown: items.map((item) => ({ ...item, pieces: item.body === null ? [] : [item.body] })), leftOut: [] }
}

/** Characters, of a section and of one text in it. */
const LIMITS = {
  output: { all: 60_000, one: 60_000 },
  transcript: { all: 80_000, one: 6000 },
  files: { all: 80_000, one: 20_000 },
}

function selectItems(
  items: readonly EvidenceItem[],
  limits: { readonly all: number; readonly one: number },
  share: number,
  terms: StatementTerms,
): ShownSection {
  const chosen = new Map<EvidenceItem, ShownItem>()
  const ranked = rank(items, limits.all * share, terms)
  let left = limits.all * share
  // What was done first: where not even a line of everything fits, what came of it is left out.
  for (const item of [...ranked.filter(isDeed), ...ranked.filter((one) => !isDeed(one))]) {
    const line = lineOf(item)
    if (costOf(line) > left) continue
    left -= costOf(line)
    chosen.set(item, line)
  }
  for (const item of ranked) {
    const line = chosen.get(item)
    if (line === undefined || item.body === null || line.pieces.length === 1) continue
    const room = Math.min(limits.one * share, left + lengthOf(line.pieces))
    if (room < Math.min(LEAST, item.body.length)) continue
    const pieces = cutAround(item.body, room, [...terms.names, ...terms.words])
    left += lengthOf(line.pieces) - lengthOf(pieces)
    chosen.set(item, { ...item, pieces })
  }
  return {
    shown: items.flatMap((item) => chosen.get(item) ?? []),
    leftOut: items.filter((item) => !chosen.has(item)),
  }
}

function isDeed({ author, isFact }: EvidenceItem): boolean {
  return isFact || author === 'call' || author === 'hook' || author === 'system'
}

// An input says at its beginning what it is about, a result at its end what came of it.
function lineOf(item: EvidenceItem): ShownItem {
  const { body, author } = item
  if (body === null) return { ...item, pieces: [] }
  const [head, tail] = author === 'tool' ? [30, 90] : [160, 0]
  return { ...item, pieces: body.length <= head + tail + MARK ? [body] : cutEnds(body, head, tail) }
}

function costOf({ pieces, ...item }: ShownItem): number {
  return headLength(item) + lengthOf(pieces)
}

// A shorter beginning of a text shows too little.
const LEAST = 500
// Of the line in place of what was left out.
const MARK = 60

function headLength({ place, head }: EvidenceItem): number {
  return (head ?? place).length + 8
}

function lengthOf(pieces: ShownItem['pieces']): number {
  return pieces.reduce<number>((sum, piece) => sum + (typeof piece === 'string' ? piece.length : MARK), 0)
}

function rank(items: readonly EvidenceItem[], most: number, terms: StatementTerms): readonly EvidenceItem[] {
  const total = sumOf(items, (item) => headLength(item) + (item.body?.length ?? 0))
  if (total <= most) return items
  const ranked = items.map((item, index) => {
    const isLast = index >= items.length - LAST
    return { item, score: scoreOf(item, terms) + (isLast ? LAST_SCORE : 0) + index / items.length }
  })
  return ranked.toSorted((a, b) => b.score - a.score).map(({ item }) => item)
}

const LAST = 3
const LAST_SCORE = 15

// A fact of ours is short, and cannot be made up.
function scoreOf({ place, head, body, isFact }: EvidenceItem, { names, words }: StatementTerms): number {
  const text = `${place}\n${head ?? ''}\n${body ?? ''}`.toLowerCase()
  const named = names.filter((name) => text.includes(name)).length
  const shared = words.filter((word) => text.includes(word)).length
  return named * 10 + shared + (isFact ? 2 : 0)
}

type Changes = AgentRun['files']

/** A run as evidence. How it ended is evidence where it is known. */
type EvidenceRun = Pick<AgentRun, 'files' | 'output' | 'transcript'> &
  Partial<Pick<AgentRun, 'durationMs' | 'exitCode' | 'problem' | 'requests' | 'status' | 'stopReason'>>

/**
 * Lists what a run did: tool calls, results, hook decisions, changes of files. What the agent says of itself on the main
 * thread is in the output instead.
 */
function listTranscript(
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
    const argumentTexts = event.kind === 'tool-call' || event.kind === 'tool-result' ? inputs.get(event.id) : undefined
    const extra = argumentTexts === undefined ? {} : { argumentTexts }
    return [
      { ...item, ...extra, place: 'transcript', id: `e${event.n}`, head: `${by}${item.head}${originNote(event)}` },
    ]
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
function listOutput({ output, transcript }: Pick<AgentRun, 'output' | 'transcript'>): readonly EvidenceItem[] {
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
    // It shows nothing of what the agent did.
    case 'prompt':
      return { head: `message ${event.turn} of the user`, isFact: false, body: event.text, author: 'agent' }
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
