import type { Issue, Position } from './issue.ts'

/** Keys and indexes from the root, such as `['expected', 'contains', 0]`. */
export type FieldPath = readonly PropertyKey[]

/** A file's content with the place of everything in it. */
export interface ReadDocument {
  /** Absolute path. */
  readonly file: string
  /** Path of `value` in the file; empty for the whole file. */
  readonly path: FieldPath
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

/** The path below a document, such as `evals.0.prompt`. */
export function fieldAt({ path: base }: ReadDocument, path: FieldPath): string {
  return formatField([...base, ...path])
}

/** The part of a document below `path`, to be validated on its own: its issues still name the whole path and place. */
export function documentAt(document: ReadDocument, path: FieldPath): ReadDocument {
  return {
    file: document.file,
    path: [...document.path, ...path],
    value: path.reduce(valueAt, document.value),
    issues: document.issues,
    positionOf: (inner) => document.positionOf([...path, ...inner]),
    keyPositionOf: (inner) => document.keyPositionOf([...path, ...inner]),
  }
}

/** The value at one step of a path; `undefined` when there is none. Sees own properties only. */
export function valueAt(value: unknown, step: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return Reflect.get(value, step)
}

/** An error at the value of `path`. */
export function errorAt(document: ReadDocument, path: FieldPath, code: string, message: string): Issue {
  const field = fieldAt(document, path)
  return { code, severity: 'error', file: document.file, field, message, ...document.positionOf(path) }
}

/** A remark at the value of `path`. */
export function warningAt(document: ReadDocument, path: FieldPath, code: string, message: string): Issue {
  return { ...errorAt(document, path, code, message), severity: 'warning' }
}

/** A remark that the value of `path` has no effect, placed at its key. */
export function noEffectAt(document: ReadDocument, path: FieldPath, message: string): Issue {
  return { ...warningAt(document, path, 'no-effect', message), noEffect: true, ...document.keyPositionOf(path) }
}
