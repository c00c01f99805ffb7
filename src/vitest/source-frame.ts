import { tryReadText } from '../lib/files.ts'
import { toPrintable, toPrintableLine } from '../lib/text.ts'
import type { ErrorPlace } from '../lib/errors.ts'

/**
 * The lines around a place of a file with something that a terminal would act on, without it. `null` for every other file,
 * of which Vitest itself shows the lines.
 */
export function safeFrame(at: ErrorPlace): string | null {
  const text = tryReadText(at.file) ?? ''
  return toPrintable(text) === text.replaceAll('\r\n', '\n') ? null : frameOf(at)
}

/** The lines around a place, as they may be printed. */
export function frameOf({ file, line, column }: ErrorPlace): string {
  const lines = tryReadText(file)?.split('\n') ?? []
  const first = Math.max(1, line - AROUND)
  return lines
    .slice(first - 1, line + AROUND)
    .flatMap((text, index) => {
      const number = first + index
      const shown = `${String(number).padStart(NUMBER)}| ${toPrintableLine(text).slice(0, MOST_COLUMNS)}`
      return number === line ? [shown, `${' '.repeat(NUMBER)}| ${' '.repeat(column - 1)}^`] : [shown]
    })
    .join('\n')
}

const AROUND = 2
const NUMBER = 7
const MOST_COLUMNS = 120
