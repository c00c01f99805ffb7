import type { Decision } from '../results/decide-outcome.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** Says how a replay came out otherwise than the run it replays; `null` when it did not. */
export function whyDifferent(first: Decision, second: Decision, run: AgentRun, again: AgentRun): string | null {
  if (again.status !== run.status)
    return `the replay ended as ${again.status}${again.problem === null ? '' : `: ${again.problem}`}`
  if (first.outcome !== second.outcome)
    return `the run ${first.outcome} and its replay ${second.outcome}${second.reason === null ? '' : `: ${second.reason}`}`
  if (first.outcome !== 'passed' && first.reason !== second.reason)
    return `the run says ${JSON.stringify(first.reason)} and its replay ${JSON.stringify(second.reason)}`
  return null
}
