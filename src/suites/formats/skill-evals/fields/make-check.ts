import type { Asked } from './check-kinds.ts'
import type { Position } from '../../../../documents/issue.ts'
import type { DeclaredCheck } from '../../../suite.ts'

/** The value of a check, and the flags of a pattern. */
export interface CheckValue {
  readonly value: string
  readonly flags?: string
}

/** The check of a kind for a value, or why its pattern is none. */
export function makeCheck(
  { kind }: Asked,
  { value, flags = '' }: CheckValue,
  own: { readonly at: Position; readonly says?: string },
): { readonly check: DeclaredCheck } | { readonly problem: string } {
  if (kind !== 'matches' && kind !== 'not-matches') return { check: { kind, value, ...own } }
  const read = readPattern(value, flags)
  const problem = problemOf(read.pattern, read.flags)
  return problem === null ? { check: { kind, value: read.pattern, flags: read.flags, ...own } } : { problem }
}

/** Reads a pattern of Python, where flags are in front: `(?i)dear`. */
export function readPattern(written: string, flags: string): { readonly pattern: string; readonly flags: string } {
  const [, inline = '', rest] = /^\(\?([imsu]+)\)([\S\s]*)$/.exec(written) ?? []
  const all = `${flags}${inline}`.toLowerCase().replaceAll(/[^imsu]/g, '')
  return { pattern: rest ?? written, flags: [...new Set(all)].join('') }
}

/** Why a pattern is none, as a sentence; `null` when it is one. */
export function problemOf(pattern: string, flags: string): string | null {
  try {
    // Thrown away: only whether it can be made is of interest.
    RegExp(pattern, flags)
    return null
  } catch (error) {
    return `is not a JavaScript regular expression: ${(error as Error).message}`
  }
}
