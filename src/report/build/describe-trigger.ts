import { boundsText, percent, wilsonInterval } from '../../lib/rates.ts'
import { plural } from '../../lib/text.ts'
import type { ReportRun } from '../report.ts'
import type { CaseTrigger } from '../results/result.ts'

/** Why a query did not come out as expected, as one or more sentences. */
export function describeTrigger(part: CaseTrigger): string {
  const { skill, should_trigger: shouldTrigger, fired, completed, threshold } = part
  const subject = skill ?? 'any skill'
  const expectation = shouldTrigger
    ? `expected ${subject} to be used in at least ${percent(threshold)} of the runs`
    : `expected ${skill === null ? 'no skill' : `${skill} not`} to be used${threshold === 0 ? '' : ` in ${percent(threshold)} of the runs or more`}`
  const seen = `it was in ${fired} of ${completed}${describeInterval(part)}`
  return [`${expectation}, but ${seen}`, ...describeFailedCalls(part), ...describeOthers(part)].join('. ')
}

/** Facts that a rate alone does not show; empty when there are none. */
export function triggerNotices(part: CaseTrigger): readonly string[] {
  const { errors, timeouts, runs, fired_in_sub_agent: firedInSubAgent, fired, saved = 0 } = part
  return [
    ...(errors === 0
      ? []
      : [`${errors} of ${runs} runs could not be completed; ${errors === 1 ? 'it is' : 'they are'} not in the rate.`]),
    ...(timeouts === 0
      ? []
      : [`${timeouts} of ${runs} runs took too long; ${timeouts === 1 ? 'it is' : 'they are'} not in the rate.`]),
    ...(saved === 0 ? [] : [`${saved} of ${runs} runs could not change the verdict and were not made.`]),
    ...(firedInSubAgent === 0
      ? []
      : [`In ${firedInSubAgent} of the ${fired} runs that used it, only a sub-agent did.`]),
    ...[...describeFailedCalls(part), ...describeOthers(part)].map((sentence) => `${sentence}.`),
  ]
}

// Percents of the counts: those of rounded shares would be rounded twice.
function describeInterval({ fired, completed, interval }: CaseTrigger): string {
  return interval === null
    ? ''
    : ` (${percent(fired / completed)}${boundsText('; ', wilsonInterval(fired, completed))})`
}

function describeFailedCalls({ internal: { failedCalls = [] } }: CaseTrigger): readonly string[] {
  return failedCalls.map(({ skill, runs }) => `${plural(runs, 'run')} tried to call ${skill}; the call failed`)
}

function describeOthers({ internal: { firedInstead }, should_trigger: shouldTrigger }: CaseTrigger): readonly string[] {
  if (firedInstead.length === 0) return []
  const list = firedInstead.map(({ skill, runs }) => `${skill} (${plural(runs, 'run')})`).join(', ')
  return [shouldTrigger ? `Used instead: ${list}` : `Used: ${list}`]
}

/** Why runs of a query were full sessions. */
export function decisionNotices(runs: readonly Pick<ReportRun, 'decided_because' | 'decided_by'>[]): readonly string[] {
  const reasons = runs.flatMap((one) =>
    one.decided_by === 'full' && one.decided_because !== null ? [one.decided_because] : [],
  )
  return [...new Set(reasons)].map((because) => `Its runs are full sessions: ${because}.`)
}
