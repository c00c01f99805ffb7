import { readWorkspaceFile } from '../../lib/workspace-file.ts'
import type { FileChanges } from '../../transcript/transcript.ts'

/** Who wrote a text: the test system, the agent in a message, the agent as the input of a call, a tool, a hook, or a file. */
export type Author = 'agent' | 'call' | 'file' | 'hook' | 'system' | 'tool'

/** One event of a run, one message or one file, as a judge is shown it. */
export interface EvidenceItem {
  /** The test system's name for it, such as `e12`: e an event, m a message, c a change on disk, f a file, r how the run ended. */
  readonly id: string
  /** `output`, `transcript` or the path of a file. */
  readonly place: string
  /** Our line about it; `null` where there is none. */
  readonly head: string | null
  /** Whether our line says what happened, rather than only what follows. */
  readonly isFact: boolean
  /** Text of another author; `null` where there is only our line. */
  readonly body: string | null
  readonly author: Author
  /** Texts that the agent gave to the call; absent where it is neither a call nor what came of one. */
  readonly argumentTexts?: readonly string[]
}

/** A text in pieces: what is shown, and how many characters are left out in between. */
type Piece = number | string

/** An item with the part of it that fits. */
export interface ShownItem extends EvidenceItem {
  readonly pieces: readonly Piece[]
}

/** What a judge is shown of one place. */
export interface ShownSection {
  readonly shown: readonly ShownItem[]
  readonly leftOut: readonly EvidenceItem[]
}

/** Everything that a judge is shown of a run. */
export interface ShownEvidence {
  readonly transcript: ShownSection
  readonly output: ShownSection
  readonly files: ShownSection
  /** Paths that the run changed and whose contents could not be read as text. */
  readonly unread: readonly string[]
}

/** A text in the workspace of a run. */
export interface EvidenceText {
  /** Its path. */
  readonly name: string
  readonly text: string
}

/** Keeps beginning and end of a text and says in between how much is missing. */
export function cutMiddle(text: string, most: number): string {
  const pieces = cutAround(text, most, [])
  return pieces.map((piece) => (typeof piece === 'string' ? piece : cutMark(piece, text.length))).join('\n')
}

/** Keeps of a text its beginning, its end and the surroundings of the first places that hold one of `terms`. */
export function cutAround(text: string, most: number, terms: readonly string[]): readonly Piece[] {
  if (text.length <= most) return [text]
  const hits = findHits(text, terms, Math.floor((most * HIT_SHARE) / (2 * AROUND)))
  const share = hits.length === 0 ? 1 : 1 - HIT_SHARE
  const head = Math.ceil(most * share * HEAD_SHARE)
  const tail = Math.floor(most * share) - head
  const around = hits.map((at): Range => [Math.max(0, at - AROUND), Math.min(text.length, at + AROUND)])
  return piecesOf(text, merge([[0, head], ...around, [text.length - tail, text.length]]))
}

/** Keeps this many characters of a text's beginning and of its end. */
export function cutEnds(text: string, head: number, tail: number): readonly Piece[] {
  return piecesOf(text, [[0, head], ...(tail === 0 ? [] : [[text.length - tail, text.length] satisfies Range])])
}

/** The line in place of what was left out. */
export function cutMark(left: number, total: number): string {
  return `[cut: ${left} of ${total} characters are left out here]`
}

type Range = readonly [from: number, to: number]

const HEAD_SHARE = 0.6
const HIT_SHARE = 0.5
const AROUND = 300

// Each term gets a place before one gets a second.
function findHits(text: string, terms: readonly string[], most: number): readonly number[] {
  if (terms.length === 0 || most < 1) return []
  const lower = text.toLowerCase()
  const hits: number[] = []
  let open = terms.map((term) => ({ term, from: 0 }))
  while (open.length > 0 && hits.length < most) {
    open = open.flatMap(({ term, from }) => {
      const at = lower.indexOf(term, from)
      if (at === -1) return []
      if (hits.length < most && !hits.some((hit) => Math.abs(hit - at) < AROUND)) hits.push(at)
      return [{ term, from: at + AROUND }]
    })
  }
  return hits
}

function merge(ranges: readonly Range[]): readonly Range[] {
  const merged: [number, number][] = []
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

function piecesOf(text: string, ranges: readonly Range[]): readonly Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const [from, to] of ranges) {
    const start = safeStart(text, from)
    if (start > end) pieces.push(start - end)
    end = safeEnd(text, to)
    pieces.push(text.slice(start, end))
  }
  return end < text.length ? [...pieces, text.length - end] : pieces
}

// Half of a surrogate pair is no text.
function safeEnd(text: string, index: number): number {
  return /[\uD800-\uDBFF]/.test(text[index - 1] ?? '') ? index - 1 : index
}

function safeStart(text: string, index: number): number {
  return /[\uDC00-\uDFFF]/.test(text[index] ?? '') ? index + 1 : index
}

/**
 * Reads the texts that a run created or modified, as evidence for a judge. Modified ones first: dependencies and generated
 * code may be created by the thousand. `root` is the workspace, or a folder where its files have other names.
 */
export async function readChangedTexts(
  root: string,
  { created, modified }: Pick<FileChanges, 'created' | 'modified'>,
  nameOf: (path: string) => string | null = (path) => path,
): Promise<readonly EvidenceText[]> {
  const texts: EvidenceText[] = []
  let left = MOST_BYTES
  for (const { path } of [...modified, ...created].slice(0, MOST_FILES)) {
    if (left <= 0) break
    const name = nameOf(path)
    if (name === null) continue
    const read = await readWorkspaceFile(root, name, Math.min(left, MOST_BYTES_OF_ONE))
    if (read.status !== 'read' || isBinary(read.bytes)) continue
    left -= read.bytes.length
    texts.push({ name: path, text: read.bytes.toString('utf8') })
  }
  return texts
}

const MOST_FILES = 200
const MOST_BYTES = 8 * 1024 ** 2
const MOST_BYTES_OF_ONE = 1024 ** 2

// A null byte is in no text and in almost every other file.
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8192).includes(0)
}
