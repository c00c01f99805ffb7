/** A stretch of a text as it is shown: characters that an eye would miss, or that would reorder the line, by their code. */
export interface Stretch {
  readonly text: string
  readonly kind: 'code' | 'text'
  readonly isMarked: boolean
}

/** A part of a text, by its offsets. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Cuts a text at its marks and at characters that must be made visible. */
export function visibleText(text: string, marks: readonly Range[] = []): readonly Stretch[] {
  const edges = new Set([0, text.length])
  for (const { start, end } of marks) edges.add(Math.max(0, start)).add(Math.min(text.length, end))
  const cuts = [...edges].toSorted((a, b) => a - b)
  return cuts.slice(0, -1).flatMap((from, index) => {
    const to = cuts[index + 1] ?? text.length
    const isMarked = marks.some(({ start, end }) => start <= from && to <= end)
    return stretches(text.slice(from, to)).map((one) => ({ ...one, isMarked }))
  })
}

function stretches(text: string): readonly Omit<Stretch, 'isMarked'>[] {
  const parts: Omit<Stretch, 'isMarked'>[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    if (index > from) parts.push({ text: text.slice(from, index), kind: 'text' })
    parts.push({ text: nameOf(found), kind: 'code' })
    from = index + found.length
  }
  if (from < text.length) parts.push({ text: text.slice(from), kind: 'text' })
  return parts
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** One line of text, hidden characters by their code, for titles and attributes. */
export function visibleLine(text: string): string {
  return stretches(text.replaceAll(/\s+/g, ' '))
    .map((one) => one.text)
    .join('')
}

// As in the terminal: controls but tab and line feed, separators, bidirectional marks, characters without width, tags.
const HIDDEN =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|\r(?!\n)|\p{Surrogate}/gu
