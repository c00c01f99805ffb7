import { AgentEvalsError } from '../../errors.ts'
import { describeTrigger } from '../../report/build/describe-trigger.ts'
import { noteLinkedCheck } from './note-check.ts'
import { findLink } from './run-link.ts'
import type { AskedTrigger } from '../../case/result/build-test-result.ts'
import type { TriggerOutcome } from '../runtime/trigger-outcome.ts'
import type { MatcherResult, MatcherState } from './received.ts'

/** Passes when the skill was used in at least the share of runs that `triggerThreshold` asks for. */
export function toHaveFired(this: MatcherState, received: unknown): MatcherResult {
  const { threshold } = requireTrigger(received, 'toHaveFired')
  return compare(this, received, 'toHaveFired', threshold)
}

/**
 * Passes when the skill was used in at least this share of the runs.
 *
 * @throws {AgentEvalsError} `invalid-options` for a rate that is not above 0 and at most 1.
 */
export function toHaveFiredAtLeast(this: MatcherState, received: unknown, rate: number): MatcherResult {
  if (typeof rate !== 'number' || !(rate > 0 && rate <= 1))
    throw new AgentEvalsError(
      'invalid-options',
      'toHaveFiredAtLeast() needs a rate above 0 and at most 1, such as 0.8.',
    )
  return compare(this, received, 'toHaveFiredAtLeast', rate)
}

function compare(state: MatcherState, received: unknown, matcher: string, threshold: number): MatcherResult {
  const trigger = requireTrigger(received, matcher)
  const link = trigger.runs.map(findLink).find((one) => one !== undefined)
  const asked = link?.record.triggers.find(({ outcome }) => outcome === received)
  const expected = { shouldTrigger: state.isNot !== true, threshold }
  if (asked !== undefined) asked.expected = expected
  return noteLinkedCheck(state, link, matcher, `${trigger.skill} >= ${threshold}`, {
    pass: trigger.rate >= threshold,
    message: () => (asked === undefined ? plainly(trigger, expected) : describeTrigger({ ...asked.part, ...expected })),
  })
}

function plainly({ skill, fired, completed }: TriggerOutcome, { shouldTrigger }: Expected): string {
  return `expected ${skill} ${shouldTrigger ? '' : 'not '}to be used, but it was in ${fired} of ${completed} runs`
}

type Expected = NonNullable<AskedTrigger['expected']>

function requireTrigger(received: unknown, matcher: string): TriggerOutcome {
  if (isTrigger(received)) return received
  const what = received instanceof Promise ? 'a promise: await it first' : 'something else'
  throw new AgentEvalsError(
    'invalid-options',
    `${matcher}() takes what \`await agent.trigger(...)\` returns, but received ${what}.`,
  )
}

function isTrigger(value: unknown): value is TriggerOutcome {
  if (typeof value !== 'object' || value === null) return false
  const { skill, rate, threshold, runs } = value as Partial<TriggerOutcome>
  return typeof skill === 'string' && typeof rate === 'number' && typeof threshold === 'number' && Array.isArray(runs)
}
