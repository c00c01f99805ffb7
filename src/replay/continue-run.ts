import { AgentEvalsError } from '../errors.ts'
import { runAgent } from '../agent/run-agent.ts'
import { replayAnswers } from './replay-answers.ts'
import type { AnswerSource } from '../gateway/leases/lease.ts'
import type { RecordedOutcome } from './run-recorded.ts'
import type { EndedSession } from '../agent/ended-session.ts'
import type { Workspace } from '../workspace/create-workspace.ts'
import type { AgentRequest } from '../agent/agent-request.ts'

/** A run that has ended and whose workspace is still there. */
export interface ContinuableRun {
  readonly request: AgentRequest
  readonly outcome: Pick<RecordedOutcome, 'recording' | 'run' | 'upstream'>
  /** `null` for a run that was taken over from an earlier one. */
  readonly workspace: Workspace | null
  /** Identifies the run among those of earlier runs. */
  readonly key: string
  /** Whether a further run has gone on in the workspace. */
  isContinued: boolean
}

/**
 * Lets a further run go on with one that has ended. The first time it goes on in the workspace itself; later ones, such
 * as the replay of a new recording, begin where the run ended too: it is run again for them, from what it was answered.
 */
export function continueRun(parent: ContinuableRun): () => Promise<EndedSession> {
  return async () => {
    if (parent.isContinued || parent.workspace === null) return repeat(parent)
    parent.isContinued = true
    return { workspace: parent.workspace, sessionId: sessionOf(parent.outcome.run) }
  }
}

async function repeat({ request, outcome }: ContinuableRun): Promise<EndedSession> {
  const { collect: _collect, onStart: _onStart, handOver: _handOver, ...again } = request
  let workspace: Workspace | undefined
  const { run } = await runAgent({
    ...again,
    label: `${request.label} (repeated, to continue it)`,
    source: answersOf(outcome),
    model: outcome.run.modelAsked,
    handOver: (made) => (workspace = made),
  })
  if (run.status === 'completed' && workspace !== undefined) return { workspace, sessionId: sessionOf(run) }
  await workspace?.remove()
  throw new AgentEvalsError(
    run.problemCode ?? 'engine-failed',
    `The run that is continued could not be repeated: ${run.problem ?? run.status}`,
  )
}

function answersOf({ recording, upstream }: ContinuableRun['outcome']): AnswerSource {
  if (recording !== null) return replayAnswers(recording)
  if (upstream?.kind === 'scenario') return upstream
  throw new AgentEvalsError(
    'not-replayable',
    'This run cannot be continued: it was live and not recorded, and its workspace was removed or has changed. Continue the latest run, omit --resume, or record it: --record.',
  )
}

function sessionOf({ engine, sessionId }: ContinuableRun['outcome']['run']): string {
  if (sessionId !== null) return sessionId
  throw new AgentEvalsError('engine-failed', `${engine} reported no session id, so its session cannot be continued.`)
}
