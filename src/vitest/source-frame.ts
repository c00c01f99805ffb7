import { lstatSync } from 'node:fs'
import { readTextFile, refuseLeaving } from '../lib/files.ts'
import { toPrintable, toPrintableLine } from '../lib/text.ts'
import type { ErrorPlace } from '../lib/errors.ts'

/** {@link frameOf} a file with something that a terminal would act on; `null` for others, whose lines Vitest itself shows. */
export function safeFrame(at: ErrorPlace, root: string): string | null {
  const text = readShowable(at.file, root) ?? ''
  return toPrintable(text) === text.replaceAll('\r\n', '\n') ? null : frameOf(at, root)
}

/** The text of a file; `null` for what is no regular one, or lies behind a link out of the root. */
export function readShowable(file: string, root: string): string | null {
  try {
    refuseLeaving(root, file)
    if (lstatSync(file).isFile()) return readTextFile(file)
  } catch {}
  return null
}

/** The lines around a place, as they may be printed; empty for what is not showable. */
export function frameOf({ file, line, column }: ErrorPlace, root: string): string {
  const lines = readShowable(file, root)?.split('\n') ?? []
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
