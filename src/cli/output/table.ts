import stringWidth from 'string-width'

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
export function shorten(text: string, width: number): string {
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
