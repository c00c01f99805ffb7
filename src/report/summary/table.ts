import stringWidth from 'string-width'
import { dollars } from '../../lib/text.ts'

/** A column: where its cells stand. */
export type Align = 'left' | 'right'

/** Lays rows out in columns, two blanks apart. Cells may be painted; the last one of a row is not padded. */
export function formatTable(rows: readonly (readonly string[])[], align: readonly Align[] = []): readonly string[] {
  const widths = rows.reduce<number[]>((found, row) => {
    for (const [index, cell] of row.entries()) found[index] = Math.max(found[index] ?? 0, stringWidth(cell))
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
export function fitColumns(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let cut = ''
  for (const character of text) {
    if (stringWidth(cut) + stringWidth(character) >= width) break
    cut += character
  }
  return `${cut.trimEnd()}…`
}

function pad(cell: string, width: number, align: Align): string {
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(cell)))
  return align === 'right' ? `${blanks}${cell}` : `${cell}${blanks}`
}

/** Dollars for reading; `null` is unknown and never a guess. */
export function formatDollars(amount: number | null): string {
  if (amount === null) return UNKNOWN
  return dollars(amount)
}

/** Seconds for reading. */
export function formatSeconds(seconds: number | null): string {
  if (seconds === null) return UNKNOWN
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

const UNKNOWN = 'unknown'
