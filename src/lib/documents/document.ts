/** Names that would change the object which holds them. */
export const DANGEROUS_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

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

/** A path below a document as in the messages, such as `evals.0.prompt`. */
export function fieldAt({ path: base }: ReadDocument, path: FieldPath): string {
  return [...base, ...path].map(String).join('.')
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

/** An error at the key of `path`. */
export function errorAtKey(document: ReadDocument, path: FieldPath, code: string, message: string): Issue {
  return { ...errorAt(document, path, code, message), ...document.keyPositionOf(path) }
}

/** A remark at the value of `path`. */
export function warningAt(document: ReadDocument, path: FieldPath, code: string, message: string): Issue {
  return { ...errorAt(document, path, code, message), severity: 'warning' }
}

/** An error about a file as a whole, or at a place of a text that is no YAML or JSON. */
export function errorIn(file: string, code: string, message: string, { line, column }: Position = TOP): Issue {
  return { code, severity: 'error', file, field: '', message, line, column }
}

/** A remark on a file as a whole, or at a place of a text that is no YAML or JSON. */
export function warningIn(file: string, code: string, message: string, at?: Position): Issue {
  return { ...errorIn(file, code, message, at), severity: 'warning' }
}

/** The first place of a file. */
export const TOP: Position = { line: 1, column: 1 }

/** A remark that the value of `path` has no effect, placed at its key. */
export function noEffectAt(document: ReadDocument, path: FieldPath, message: string): Issue {
  return { ...warningAt(document, path, 'no-effect', message), noEffect: true, ...document.keyPositionOf(path) }
}

/** A place in a file, as editors count: both numbers start at 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/**
 * One mistake or remark found without running anything. Issues are data: all of a file's at once.
 * Errors cost the cases they concern; warnings are shown and reported.
 */
export interface Issue extends Position {
  /** Stable kebab-case reason, such as `unknown-field`. */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** An error that concerns its case alone and does not fail its file. */
  readonly skips?: true
  /** A remark on something that is read and changes nothing; such remarks are shown together. */
  readonly noEffect?: true
  /** Absolute path of the file. */
  readonly file: string
  /** Dotted path of the field, such as `expected.contains.0`; empty for the file as a whole. */
  readonly field: string
  /** One sentence: what is wrong and what to do. */
  readonly message: string
}

/** Whether an issue is a mistake, and no remark. */
export function isError({ severity }: Pick<Issue, 'severity'>): boolean {
  return severity === 'error'
}

/** An issue of a single case: an error costs this case alone, and not its file. */
export function ofCase(issue: Issue): Issue {
  return isError(issue) ? { ...issue, skips: true } : issue
}

/** Whether an issue fails its whole file: an error that does not merely have its case skipped. */
export function failsFile(issue: Pick<Issue, 'severity' | 'skips'>): boolean {
  return isError(issue) && issue.skips !== true
}

/** What a file that fails has to say: every mistake at once, those of single cases too. Empty where it does not fail. */
export function errorsOfFile(issues: readonly Issue[]): readonly Issue[] {
  return issues.some(failsFile) ? issues.filter(isError) : []
}

/** Each issue once: a configuration is read with each of its suites. */
export function uniqueIssues(issues: readonly Issue[]): readonly Issue[] {
  const keyOf = ({ file, line, column, code, message }: Issue): string =>
    JSON.stringify([file, line, column, code, message])
  return [...new Map(issues.map((issue) => [keyOf(issue), issue])).values()]
}

/** Words an issue as `file:line:column field: message`, the file relative to `root` where it is below it. */
export function formatIssue(issue: Issue, root = ''): string {
  const prefix = root === '' || root.endsWith('/') ? root : `${root}/`
  const file = issue.file.startsWith(prefix) ? issue.file.slice(prefix.length) : issue.file
  const field = issue.field === '' ? '' : `${issue.field}: `
  return `${file}:${issue.line}:${issue.column} ${field}${issue.message}`
}
