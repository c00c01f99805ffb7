import { pathFrom } from '../../packages/package-root.ts'
import type { Issue } from '../../documents/issue.ts'
import type { SearchNote } from '../../suites/search-notes.ts'

/** Something that has no effect or is not understood, and where it is. */
export interface ListNote {
  /** Relative to the folder that is listed; `null` where it is about no one file. */
  readonly file: string | null
  readonly line: number | null
  readonly field: string | null
  readonly message: string
}

/** Every remark, one by one: of the search, then of the files. */
export function toListNotes(root: string, notes: readonly SearchNote[], issues: readonly Issue[]): readonly ListNote[] {
  const show = (file: string): string => pathFrom(root, file) || '.'
  // What a search did not use is a remark on its suite as well.
  const known = new Set(notes.map(({ message }) => message))
  return [
    ...notes.map(({ file, message }) => ({
      file: file === null ? null : show(file),
      line: null,
      field: null,
      message,
    })),
    ...issues
      .filter(({ message }) => !known.has(message))
      .map(({ file, line, field, message }) => ({
        file: show(file),
        line,
        field: field === '' ? null : field,
        message,
      })),
  ]
}
