import { placeOfCall, positionIn, type CallPlace } from '../runtime/call-place.ts'
import { requireRun, type MatcherResult, type MatcherState } from './received.ts'
import { findLink, type RunLink } from './run-link.ts'

/** Leaves what a matcher found in the report of the test that made the run. A run that no fixture made has none. */
export function noteCheck(
  state: MatcherState,
  received: unknown,
  matcher: string,
  value: string,
  result: MatcherResult,
): MatcherResult {
  const link = findLink(requireRun(received, matcher))
  return noteLinkedCheck(state, link, matcher, value, result, placeOfCall(noteCheck))
}

/** The same by the link of a run; without one nothing is noted. */
export function noteLinkedCheck(
  { isNot }: MatcherState,
  link: RunLink | undefined,
  matcher: string,
  value: string,
  result: MatcherResult,
  place: CallPlace = placeOfCall(noteLinkedCheck),
): MatcherResult {
  const outcome = result.pass === (isNot === true) ? 'failed' : 'passed'
  const kind = `${isNot === true ? 'not-' : ''}${matcher.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const message = outcome === 'failed' ? result.message() : ''
  const at = link === undefined ? null : positionIn(place, link.suite.file)
  link?.record.checks.push({ kind, value, at: at ?? link.evalCase.at, outcome, message })
  return result
}
