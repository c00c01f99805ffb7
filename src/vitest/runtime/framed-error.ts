import { readFileSync } from 'node:fs'
import { toPrintableLine } from '../../results/printable.ts'
import type { AgentEvalsError, ErrorPlace } from '../../errors.ts'

/**
 * An error that Vitest shows at its place, such as a line of a scenario; unchanged without one. Vitest itself frames only
 * files that it has loaded as modules.
 */
export function framedError(error: AgentEvalsError, at: ErrorPlace | undefined): AgentEvalsError {
  if (at === undefined) return error
  error.stack = `${error.name}: ${error.message}\n    at ${at.file}:${at.line}:${at.column}`
  return Object.assign(error, { codeFrame: frameOf(at) })
}

function frameOf({ file, line, column }: ErrorPlace): string {
  const lines = readLines(file)
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

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}

const AROUND = 2
const NUMBER = 7
const MOST_COLUMNS = 120
