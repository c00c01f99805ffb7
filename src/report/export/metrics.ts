import { countToolCalls } from '../build/summarize-run.ts'
import { sum } from '../../lists.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** `metrics.json` of a run, in the words of the BMAD eval runner. */
export interface Metrics {
  readonly elapsed_s: number
  /** -1 when the run was timed out. */
  readonly return_code: number | null
  readonly tool_calls: Readonly<Record<string, number>>
  readonly total_tool_calls: number
  /** What the agent did: its messages and its tool calls. */
  readonly total_steps: number
  readonly output_chars: number
  readonly transcript_chars: number
  readonly stderr_tail: string
}

/** Measures a run. */
export function buildMetrics(run: AgentRun, transcriptText: string): Metrics {
  const calls = countToolCalls(run)
  return {
    elapsed_s: Math.round(run.durationMs / 10) / 100,
    return_code: run.status === 'timed-out' ? -1 : run.exitCode,
    tool_calls: calls,
    total_tool_calls: sum(Object.values(calls)),
    total_steps: run.transcript.filter(({ kind }) => kind === 'message' || kind === 'tool-call').length,
    output_chars: run.output.length,
    transcript_chars: transcriptText.length,
    stderr_tail: run.stderrTail,
  }
}
