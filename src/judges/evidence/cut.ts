import type { Piece } from './evidence-item.ts'

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
