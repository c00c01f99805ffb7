import type { Issue, Position } from '../../documents/issue.ts'

/** An error at a place of a text that is no YAML or JSON. */
export function errorIn(file: string, at: Position, code: string, message: string): Issue {
  return { code, severity: 'error', file, field: '', message, line: at.line, column: at.column }
}

/** A remark at a place of a text that is no YAML or JSON. */
export function warningIn(file: string, at: Position, code: string, message: string): Issue {
  return { ...errorIn(file, at, code, message), severity: 'warning' }
}

/** The first place of a file. */
export const TOP: Position = { line: 1, column: 1 }
