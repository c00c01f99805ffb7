import type { Issue, Position } from '../issue.ts'

/** Keys and indexes from the root, such as `['expected', 'contains', 0]`. */
export type FieldPath = readonly PropertyKey[]

/** A file's content with the place of everything in it. */
export interface ReadDocument {
  /** Absolute path. */
  readonly file: string
  /** `undefined` when there is no value: see `issues`. */
  readonly value: unknown
  /** Why the text could not be read, all at once. */
  readonly issues: readonly Issue[]
  /** Where the value at `path` starts; the nearest parent when there is none, such as for a missing field. */
  readonly positionOf: (path: FieldPath) => Position
  /** Where the key of `path` is written; for an item of a list, the item. */
  readonly keyPositionOf: (path: FieldPath) => Position
}

/** Writes a path as in the messages: `expected.contains.0`. */
export function formatField(path: FieldPath): string {
  return path.map(String).join('.')
}
