import { errorAt, type ReadDocument } from '../documents/document.ts'
import { messageOf } from '../errors.ts'
import type { Issue } from '../documents/issue.ts'

/** The matcher of a group of hooks; `null` matches everything. */
export function matcherOf(written: string | undefined): string | null {
  return written === undefined || matchesAll(written) ? null : written
}

/** The error for a matcher that is no regular expression. */
export function invalidMatcher(
  matcher: string | undefined,
  path: readonly (string | number)[],
  document: ReadDocument,
): readonly Issue[] {
  if (matcher === undefined || matchesAll(matcher)) return []
  try {
    RegExp(matcher)
    return []
  } catch (error) {
    const reason = messageOf(error)
    return [errorAt(document, path, 'invalid-value', `not a regular expression: ${reason}`)]
  }
}

// Engines read these as "every tool", though `*` alone is no regular expression.
function matchesAll(matcher: string): boolean {
  return matcher === '' || matcher === '*'
}
