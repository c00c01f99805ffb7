import { placeOfCall, positionIn } from '../runtime/call-place.ts'
import { requireRun, type MatcherResult, type MatcherState } from './received.ts'
import { findLink } from './run-link.ts'

/** Leaves what a matcher found in the report of the test that made the run. A run that was made by hand has none. */
export function noteCheck(
  { isNot }: MatcherState,
  received: unknown,
  matcher: string,
  value: string,
  result: MatcherResult,
): MatcherResult {
  const link = findLink(requireRun(received, matcher))
  const outcome = result.pass === (isNot === true) ? 'failed' : 'passed'
  const kind = `${isNot === true ? 'not-' : ''}${matcher.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const message = outcome === 'failed' ? result.message() : ''
  const at = link === undefined ? null : positionIn(placeOfCall(noteCheck), link.suite.file)
  link?.record.checks.push({ kind, value, at: at ?? link.evalCase.at, outcome, message })
  return result
}
