import { diffLines } from 'diff'

/** One line of a difference, with its place in both texts. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same'
  readonly text: string
  /** Numbers from 1; `null` on the side that does not have the line. */
  readonly before: number | null
  readonly after: number | null
  /** Where the line begins in the text before, or after, the change. */
  readonly beforeAt: number
  readonly afterAt: number
}

/** A difference, line by line. */
export interface TextDiff {
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
}

/** Compares two texts line by line; `null` when they differ so much that it takes too long. */
export function diffTexts(before: string, after: string): TextDiff | null {
  const changes = diffLines(before, after, { maxEditLength: MOST_EDITS, timeout: MOST_MS })
  if (changes === undefined) return null
  const lines: DiffLine[] = []
  let [beforeLine, afterLine, beforeAt, afterAt] = [1, 1, 0, 0]
  for (const { value, added, removed } of changes) {
    for (const text of value.split(/(?<=\n)/)) {
      const kind = added ? 'added' : removed ? 'removed' : 'same'
      lines.push({
        kind,
        text: text.replace(/\n$/, ''),
        before: kind === 'added' ? null : beforeLine,
        after: kind === 'removed' ? null : afterLine,
        beforeAt,
        afterAt,
      })
      if (kind !== 'added') [beforeLine, beforeAt] = [beforeLine + 1, beforeAt + text.length]
      if (kind !== 'removed') [afterLine, afterAt] = [afterLine + 1, afterAt + text.length]
    }
  }
  const countOf = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length
  return { lines, added: countOf('added'), removed: countOf('removed') }
}

const MOST_EDITS = 10_000
const MOST_MS = 1000
