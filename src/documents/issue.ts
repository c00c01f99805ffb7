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
  /** The role that lint proposes for the name of a field without one. */
  readonly proposes?: { readonly field: string; readonly role: string }
  /** Absolute path of the file. */
  readonly file: string
  /** Dotted path of the field, such as `expected.contains.0`; empty for the file as a whole. */
  readonly field: string
  /** One sentence: what is wrong and what to do. */
  readonly message: string
}

/** Whether an issue fails its whole file: an error that does not merely have its case skipped. */
export function failsFile({ severity, skips }: Pick<Issue, 'severity' | 'skips'>): boolean {
  return severity === 'error' && skips !== true
}

/** What a file that fails has to say: every mistake at once, those of single cases too. Empty where it does not fail. */
export function errorsOfFile(issues: readonly Issue[]): readonly Issue[] {
  return issues.some(failsFile) ? issues.filter(({ severity }) => severity === 'error') : []
}

/** Each issue once: a configuration is read with each of its suites. */
export function uniqueIssues(issues: readonly Issue[]): readonly Issue[] {
  const keyOf = ({ file, line, column, code, message }: Issue): string =>
    JSON.stringify([file, line, column, code, message])
  return [...new Map(issues.map((issue) => [keyOf(issue), issue])).values()]
}

/** Words an issue as `file:line:column field: message`, the file relative to `root` where it is below it. */
export function formatIssue(issue: Issue, root?: string): string {
  const prefix = root === undefined ? '' : root.endsWith('/') ? root : `${root}/`
  const file = prefix !== '' && issue.file.startsWith(prefix) ? issue.file.slice(prefix.length) : issue.file
  const field = issue.field === '' ? '' : `${issue.field}: `
  return `${file}:${issue.line}:${issue.column} ${field}${issue.message}`
}
