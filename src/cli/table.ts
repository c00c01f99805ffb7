import { stripVTControlCharacters } from 'node:util'

/** A column: where its cells stand. */
export type Align = 'left' | 'right'

/** Lays rows out in columns, two blanks apart. Cells may be painted; the last one of a row is not padded. */
export function formatTable(rows: readonly (readonly string[])[], align: readonly Align[] = []): readonly string[] {
  const widths = rows.reduce<number[]>((found, row) => {
    for (const [index, cell] of row.entries()) found[index] = Math.max(found[index] ?? 0, widthOf(cell))
    return found
  }, [])
  return rows.map((row) =>
    row
      .map((cell, index) => pad(cell, widths[index] ?? 0, align[index] ?? 'left'))
      .join('  ')
      .trimEnd(),
  )
}

/** A text of at most so many columns. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let cut = ''
  for (const character of text) {
    if (widthOf(cut) + widthOf(character) >= width) break
    cut += character
  }
  return `${cut.trimEnd()}…`
}

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of stripVTControlCharacters(text))
    width += WIDE.test(character) ? 2 : NARROW.test(character) ? 0 : 1
  return width
}

function pad(cell: string, width: number, align: Align): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(cell)))
  return align === 'right' ? `${blanks}${cell}` : `${cell}${blanks}`
}

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u
const NARROW = /\p{Mark}/u
