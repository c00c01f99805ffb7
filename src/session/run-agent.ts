import { setImmediate as nextTurn } from 'node:timers/promises'
import { isProgram } from '../engines/find.ts'
import { describeAsyncFailures } from '../engines/hooks/hanging-hooks.ts'
import { acquireLease, type AcquiredLease } from '../gateway/control/client.ts'
import type { LeaseRequest, MeterReading } from '../gateway/leases/lease.ts'
import { createLimit } from '../gateway/pace.ts'
import { needsPort } from '../sandbox/decide.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import { createRunLog, type RunLog } from './run-log.ts'
import {
  NO_GATEWAY,
  expandAnswers,
  foldersOf,
  nameSession,
  pathRequestOf,
  type AgentOutcome,
  type AgentRequest,
} from './agent-request.ts'
import { askDirectly } from './ask-directly.ts'
import type { SessionEnd } from './session-end.ts'
import { runSession } from './run-session.ts'
import { openWorkspace, stageAgent, type StagedAgent } from './stage-agent.ts'

/**
 * Runs an engine once: stage, wait for a place, run, kill whatever is left, look at what changed.
 *
 * @throws {AgentEvalsError} when the run cannot be prepared; what goes wrong in the run itself is part of it.
 */
export async function runAgent(request: AgentRequest): Promise<AgentOutcome> {
  const resumed = (await request.resume?.()) ?? null
  using place = { [Symbol.dispose]: await staging.enter(request.signal) }
  const workspace = resumed?.workspace ?? openWorkspace(request)
  request.handOver?.(workspace)
  await using _ = request.handOver === undefined ? workspace : null
  const staged = await stageAgent(request, workspace, resumed)
  const log = await createRunLog(staged)
  place[Symbol.dispose]()

  const session = await runLeased(staged, log)
  // The place is another run's now, which is started first.
  await nextTurn()
  const run = await log.end(session.ended, session.endedAt)
  await request.collect?.(workspace.workspace, run)
  return outcomeOf(staged, session, run)
}

// Those that could only wait for a place must not keep the first from theirs.
const staging = createLimit(1)

/** A session that is over. */
interface EndedLease {
  readonly ended: SessionEnd
  /** In milliseconds since 1970. */
  readonly endedAt: number
  readonly credential: AgentOutcome['credential']
}

async function runLeased(staged: StagedAgent, log: RunLog): Promise<EndedLease> {
  const { request } = staged
  const needed = leaseRequest(staged)
  const lease = await (request.openLease?.(needed) ?? acquireLease(request.controlSocket, needed, request.signal))
  try {
    request.onStart?.()
    const ended = await startEngine(staged, lease, log)
    return { ended, endedAt: Date.now(), credential: lease.grant.credential }
  } finally {
    await lease.release()
  }
}

function startEngine(staged: StagedAgent, lease: AcquiredLease, { onTurn }: RunLog): Promise<SessionEnd> {
  const { request } = staged
  const { engine } = request
  return isProgram(engine)
    ? runSession({ ...request, engine }, { ...staged, lease, onTurn })
    : askDirectly({ ...request, engine }, lease)
}

function leaseRequest({ request, workspace }: Pick<StagedAgent, 'request' | 'workspace'>): LeaseRequest {
  const { source, label, endsWith, abortsAfter } = request
  const { engine } = request.engine
  return {
    caseId: label,
    wire: engine.wire,
    source: expandAnswers(source, foldersOf(request, workspace)),
    network: request.suite.config.network,
    // What it offers shows which names of tools a check may have.
    listen: isProgram(request.engine),
    port: isProgram(request.engine) && needsPort(request.sandbox, pathRequestOf(request, workspace, NO_GATEWAY)),
    ...(endsWith === undefined && abortsAfter === undefined ? {} : { mayEnd: true }),
  }
}

function outcomeOf(
  { request, workspace, warnings }: StagedAgent,
  { ended, credential }: EndedLease,
  run: AgentRun,
): AgentOutcome {
  return {
    run,
    warnings: [
      ...warnings,
      ...describeRefused(ended.meter),
      ...describeAsyncFailures(run),
      ...Object.values(run.names?.failedServers ?? {}),
      ...(ended.unanswered ?? []),
    ],
    conversation: nameSession(request, workspace, ended.conversation),
    credential,
    stopped: ended.stopped,
    skillsListed: ended.summary.skills,
    differs: ended.differs ?? null,
    folders: foldersOf(request, workspace),
  }
}

/** Names the requests that the gateway refused, in one sentence. */
function describeRefused({ refused = [] }: MeterReading): readonly string[] {
  const requests = refused.map(({ what, times }) => (times === 1 ? what : `${what} (${times} times)`))
  return requests.length === 0 ? [] : [`The gateway refused requests of the session: ${requests.join('; ')}.`]
}
