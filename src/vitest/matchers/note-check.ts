import { AgentEvalsError } from '../../errors.ts'
import { placeOfCall, positionIn, type CallPlace } from '../runtime/call-place.ts'
import { requireRun, type MatcherResult, type MatcherState } from './received.ts'
import { findLink, type RunLink } from './run-link.ts'
import type { CheckFields, CheckKind } from '../../checks/check.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/**
 * Whether a check passes. It takes the kind itself: every worker loads the matchers, and the table only with a case.
 *
 * @throws {AgentEvalsError} `workspace-failed` where it cannot decide: `.not` would make a pass of that.
 */
export function passes<Fields extends CheckFields>(kind: CheckKind<Fields>, asked: Fields, run: AgentRun): boolean {
  const { outcome, message, seen = '' } = kind.run(asked, { run, hook: null, read: () => 'unknown' })
  if (outcome === 'errored') throw new AgentEvalsError('workspace-failed', message ?? seen)
  return outcome === 'passed'
}

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
