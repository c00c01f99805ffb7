import { cutAround } from './cut.ts'
import { listOutput, listTranscript } from './list-evidence.ts'
import { termsOf, type StatementTerms } from '../statements/statement-terms.ts'
import { sumOf } from '../../lists.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'
import type { EvidenceItem, ShownEvidence, ShownItem, ShownSection } from './evidence-item.ts'
import type { EvidenceText } from './evidence-text.ts'

/** What evidence is chosen from, and for which statements. */
export interface EvidenceRequest {
  readonly run: Pick<AgentRun, 'files' | 'output' | 'transcript'>
  /** Texts that the run created or modified. */
  readonly files: readonly EvidenceText[]
  /** Paths in the workspace that the case has put there and that a run may have changed. */
  readonly fixtures?: readonly string[]
  readonly statements: readonly string[]
  /** What else the evidence should show, such as what failed checks say. */
  readonly clues?: readonly string[]
}

/** Chooses what a judge is shown: everything where it fits, else what the statements name, then what came last. */
export function selectEvidence({ run, files, fixtures = [], statements, clues = [] }: EvidenceRequest): ShownEvidence {
  const terms = termsOf([...statements, ...clues])
  const items = files.map(({ name, text }): EvidenceItem => {
    return { place: name, n: null, head: null, isFact: false, body: text, author: 'file' }
  })
  const read = new Set(files.map(({ name }) => name))
  return {
    transcript: selectItems(listTranscript(run, fixtures), LIMITS.transcript, terms),
    output: selectItems(listOutput(run), LIMITS.output, terms),
    files: selectItems(items, LIMITS.files, terms),
    unread: [...run.files.created, ...run.files.modified].map(({ path }) => path).filter((path) => !read.has(path)),
  }
}

/** Characters, of a section and of one text in it. */
const LIMITS = {
  output: { all: 60_000, one: 60_000 },
  transcript: { all: 80_000, one: 6000 },
  files: { all: 80_000, one: 20_000 },
}

function selectItems(
  items: readonly EvidenceItem[],
  { all, one }: { readonly all: number; readonly one: number },
  terms: StatementTerms,
): ShownSection {
  const chosen = new Map<EvidenceItem, ShownItem>()
  let left = all
  for (const item of rank(items, all, terms)) {
    const room = Math.min(one, left - headLength(item))
    if (room < Math.min(LEAST, item.body?.length ?? 0)) continue
    const pieces = item.body === null ? [] : cutAround(item.body, room, [...terms.names, ...terms.words])
    left -= headLength(item) + lengthOf(pieces)
    chosen.set(item, { ...item, pieces })
  }
  return {
    shown: items.flatMap((item) => chosen.get(item) ?? []),
    leftOut: items.filter((item) => !chosen.has(item)),
  }
}

// A shorter beginning of a text shows too little.
const LEAST = 500

function headLength({ place, head }: EvidenceItem): number {
  return (head ?? place).length + 8
}

function lengthOf(pieces: ShownItem['pieces']): number {
  return pieces.reduce<number>((sum, piece) => sum + (typeof piece === 'string' ? piece.length : 60), 0)
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
