import { cutAround, cutEnds } from './cut.ts'
import { listOutput, listTranscript, type EvidenceRun } from './list-evidence.ts'
import { termsOf, type StatementTerms } from '../statements/statement-terms.ts'
import { sumOf } from '../../lists.ts'
import type { EvidenceItem, ShownEvidence, ShownItem, ShownSection } from './evidence-item.ts'
import type { EvidenceText } from './evidence-text.ts'

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
