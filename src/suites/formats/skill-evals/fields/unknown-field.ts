import type { Issue } from '../../../../documents/issue.ts'

/** What a remark on a field of the author's own says. */
export const UNKNOWN = 'has no effect: unknown field'

/** What a remark on a list of expectations without any says. */
export const EMPTY = 'is empty, so it has no effect'

/** A mistake in a list of the author's own as a remark: such a list is not ours to refuse. */
export function softened(issue: Issue): Issue {
  if (issue.severity === 'warning' || issue.code === 'invalid-pattern') return issue
  const message = 'has no effect: neither a text nor a check of a known type'
  return { ...issue, code: 'no-effect', severity: 'warning', noEffect: true, message }
}
