import { mergeDecisions } from '../engines/hook-decisions.ts'
import { numberEvents } from '../transcript/select.ts'
import type { RecordedDecision, StreamSummary } from '../engines/engine.ts'
import type { MeterReading } from '../gateway/lease.ts'
import type { AgentRequest } from '../run-agent.ts'
import type { SessionResult } from '../sandbox/run.ts'
import type { AgentRun, FileChanges, RunStatus } from '../transcript/agent-run.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** What is left when an engine's process tree is gone. */
export interface SessionEnd {
  readonly result: SessionResult
  readonly events: readonly UnnumberedEvent[]
  readonly summary: StreamSummary
  readonly meter: MeterReading
}

/** Everything that is known of a run. */
export interface RunEvidence {
  readonly request: Pick<AgentRequest, 'deadlineMs' | 'engine' | 'model' | 'sandbox'>
  readonly ended: SessionEnd
  readonly files: FileChanges
  readonly decisions: readonly RecordedDecision[]
  /** Absolute path of the workspace if it is kept. */
  readonly workspace: string | null
}

/** Makes one record of what the process, its stream, the gateway and the workspace tell. Pure. */
export function buildAgentRun({ request, ended, files, decisions, workspace }: RunEvidence): AgentRun {
  const { result, summary, meter } = ended
  const { engine, version } = request.engine
  return {
    engine: engine.name,
    engineVersion: summary.version ?? version,
    ...judgeEnd(ended, request),
    exitCode: result.exitCode,
    signal: result.signal,
    sessionId: summary.sessionId,
    modelAsked: request.model,
    model: meter.model ?? summary.model,
    output: summary.output,
    finalMessage: summary.finalMessage,
    transcript: numberEvents(mergeDecisions(ended.events, decisions)),
    files,
    usage: meter.usage,
    costUsd: meter.costUsd,
    requests: meter.requests,
    durationMs: Math.round(result.durationMs),
    sandbox: { asked: request.sandbox.asked, enforced: request.sandbox.enforced },
    stderrTail: result.stderrTail.slice(-STDERR_TAIL),
    workspace,
  }
}

const STDERR_TAIL = 2000

interface End {
  readonly status: RunStatus
  readonly problem: string | null
}

// What ended the process comes before what the CLI said of itself, and the gateway's word before its exit code:
// some CLIs end a run in which nothing worked with exit code 0.
function judgeEnd({ result, summary, meter }: SessionEnd, { engine, deadlineMs }: RunEvidence['request']): End {
  if (result.aborted) return { status: 'cancelled', problem: 'The run was cancelled.' }
  if (result.timedOut) {
    return {
      status: 'timed-out',
      problem: `The run did not end within its ${deadlineMs / 1000} s. Raise \`timeout\` if it needs longer.`,
    }
  }
  if (result.setupError !== null)
    return { status: 'crashed', problem: `The sandbox did not start: ${result.setupError}` }
  const [problem] = meter.problems
  if (problem !== undefined) return { status: 'api-error', problem: problem.message }
  if (summary.status !== null) return { status: summary.status, problem: summary.problem }
  const said = result.spawnError?.message ?? lastLine(result.stderrTail)
  const ending = result.signal === null ? `exit code ${result.exitCode}` : `signal ${result.signal}`
  return {
    status: 'crashed',
    problem: `${engine.engine.executable} ended with ${ending} and without a result${said === '' ? '' : `: ${said}`}`,
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
