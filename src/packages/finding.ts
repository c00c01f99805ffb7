import type { Issue } from '../lib/documents/document.ts'
import type { PackageFinding } from './package.ts'

/** The part of a package that a finding concerns; `null` for all of it. */
export type PackagePart = PackageFinding['part']

/** What a loader of one kind of part hands back. */
export interface Loaded<T> {
  readonly parts: readonly T[]
  readonly findings: readonly PackageFinding[]
}

/** Says which part each issue concerns. */
export function findingsOf(part: PackagePart, issues: readonly Issue[]): readonly PackageFinding[] {
  return issues.map((issue) => ({ ...issue, part }))
}

/** A finding about a file as a whole. */
export function fileFinding(
  part: PackagePart,
  severity: Issue['severity'],
  file: string,
  code: string,
  message: string,
): PackageFinding {
  return { part, severity, file, code, message, field: '', line: 1, column: 1 }
}

/** Puts what several loads brought together, in their order. */
export function joinLoaded<T>(all: readonly Loaded<T>[]): Loaded<T> {
  return { parts: all.flatMap(({ parts }) => parts), findings: all.flatMap(({ findings }) => findings) }
}

/** Whether any of these costs the part they are about. */
export function hasError(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === 'error')
}
