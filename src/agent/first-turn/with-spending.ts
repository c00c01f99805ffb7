import { sumCost, sumUsage } from '../../results/cost/sums.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** A run with what another one has used beside it. */
export function withSpending(
  run: AgentRun,
  other: Pick<AgentRun, 'costUsd' | 'durationMs' | 'requests' | 'usage'>,
): AgentRun {
  return {
    ...run,
    usage: sumUsage([run.usage, other.usage]),
    costUsd: sumCost([run.costUsd, other.costUsd]),
    requests: run.requests + other.requests,
    durationMs: run.durationMs + other.durationMs,
  }
}
