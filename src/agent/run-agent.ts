import { setImmediate as nextTurn } from 'node:timers/promises'
import { isProgram } from '../engines/find.ts'
import { acquireLease, type AcquiredLease } from '../gateway/client.ts'
import { createLimit } from '../gateway/limit.ts'
import { RUN_TAG } from '../gateway/run-tag.ts'
import { sandboxCommand } from '../sandbox/command.ts'
import { INSIDE } from '../sandbox/inside.ts'
import { insideRuntimeFile, sandboxPaths } from '../sandbox/paths.ts'
import { runSandboxed } from '../sandbox/run.ts'
import { askDirectly } from './ask-directly.ts'
import { buildAgentRun } from './build-agent-run.ts'
import { expandAnswers } from './expand-answers.ts'
import { untilAnswered, untilLastCall, withModelIds } from './last-call.ts'
import { readDecisions } from './read-decisions.ts'
import { foldersOf, nameSession, sandboxPlace, sessionPaths } from './session-folders.ts'
import { stageSession } from './stage-session.ts'
import { watchEvents } from './watch-events.ts'
import { createWorkspace, type Workspace } from '../workspace/create-workspace.ts'
import { findChanges } from '../workspace/file-changes.ts'
import { walkWorkspace } from '../workspace/hash-walk.ts'
import type { ProgramEngine } from '../engines/engine.ts'
import type { FoundEngine } from '../engines/find.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { AnswerSource, LeaseRequest } from '../gateway/lease.ts'
import type { SessionEnd } from './build-agent-run.ts'
import type { AgentOutcome, AgentRequest } from './agent-request.ts'

/**
 * Runs an engine once: stage, wait for a place, run, kill whatever is left, look at what changed.
 *
 * @throws {AgentEvalsError} when the run cannot be prepared; what goes wrong in the run itself is part of it.
 */
export async function runAgent(request: AgentRequest): Promise<AgentOutcome> {
  const resumed = (await request.resume?.()) ?? null
  using turn = { [Symbol.dispose]: await staging.enter(request.signal) }
  const workspace = resumed?.workspace ?? createWorkspace({ keep: request.keepWorkspace })
  request.handOver?.(workspace)
  await using _ = request.handOver === undefined ? workspace : null
  const warnings = resumed === null ? await stageSession(request, workspace) : []
  const before = await walkWorkspace(workspace.workspace)
  const decided = resumed === null ? 0 : (await readDecisions(workspace.hooks)).length
  turn[Symbol.dispose]()

  const lease = await acquireLease(request.controlSocket, leaseRequest(request, workspace), request.signal)
  let ended: SessionEnd
  try {
    request.onStart?.()
    ended = await runEngine(request, workspace, lease, resumed?.sessionId ?? null)
  } finally {
    await lease.release()
  }

  // The place is another run's now, which is started first.
  await nextTurn()
  const files = await findChanges(workspace.workspace, before, { ignore: ENGINE_LITTER })
  const decisions = (await readDecisions(workspace.hooks)).slice(decided)
  const run = buildAgentRun({
    request,
    ended,
    files,
    decisions,
    workspace: request.keepWorkspace ? workspace.workspace : null,
  })
  await request.collect?.(workspace.workspace, run)
  const conversation =
    ended.conversation === null || !isRecorded(request.source)
      ? null
      : nameSession(request, workspace, ended.conversation)
  return {
    run,
    warnings,
    conversation,
    credential: lease.grant.credential,
    stopped: ended.stopped,
    skillsListed: ended.summary.skills,
  }
}

// Those that could only wait for a place must not keep the first from theirs.
const staging = createLimit(1)

function runEngine(
  request: AgentRequest,
  workspace: Workspace,
  lease: AcquiredLease,
  resume: string | null,
): Promise<SessionEnd> {
  const { engine } = request
  return isProgram(engine)
    ? runSession({ ...request, engine }, workspace, lease, resume)
    : askDirectly({ ...request, engine }, lease)
}

// Left by an engine itself; no work of the agent's.
const ENGINE_LITTER = ['.claude/.cc-writes']

async function runSession(
  request: AgentRequest & { readonly engine: FoundEngine<ProgramEngine> },
  workspace: Workspace,
  lease: AcquiredLease,
  resume: string | null,
): Promise<SessionEnd> {
  const { suite, evalCase } = request
  const { engine, executable } = request.engine
  const place = sandboxPlace(request, workspace, lease.grant)
  const paths = sandboxPaths(request.sandbox, place)
  const unpacked = engine.unpackedFolder?.(executable, process.env) ?? null
  const command = engine.command({
    prompt: evalCase.prompt,
    resume,
    target: evalCase.target,
    commands: request.package.commands,
    model: request.model,
    paths: sessionPaths(paths),
    confined: request.sandbox.backend !== 'none',
    writablePaths: suite.config.writablePaths,
    unpacked: unpacked === null || request.sandbox.backend === 'none' ? unpacked : INSIDE.unpacked,
    hasMcp: request.package.mcpServers.length > 0,
    gateway: {
      baseUrl: paths.gatewayUrl,
      socket: paths.gatewaySocket,
      token: lease.grant.token,
      credential: lease.grant.credential,
    },
    env: suite.config.env,
  })
  const sandboxed = sandboxCommand(request.sandbox, {
    ...place,
    arguments: command.arguments,
    env: { ...command.env, [RUN_TAG]: lease.grant.id },
    readOnly: [
      { from: process.execPath, to: paths.node },
      { from: place.shim, to: paths.shim },
      ...engine.runtimeFiles(executable).map((from) => ({ from, to: insideRuntimeFile(executable, from) })),
      ...(unpacked === null ? [] : [{ from: unpacked, to: INSIDE.unpacked }]),
    ],
    writablePaths: suite.config.writablePaths,
    decoyEtc: true,
  })

  const eventsIn = (conversation: Conversation): SessionEnd['events'] => withModelIds(engine, seen.events, conversation)
  const listens = isRecorded(request.source) || isHeard(request)
  const seen = watchEvents(engine.createReader(), request.endsAfter, () =>
    listens ? untilAnswered(() => lease.conversation(), eventsIn) : Promise.resolve(),
  )
  const result = await runSandboxed(sandboxed, {
    stdin: command.stdin,
    signal: AbortSignal.any([request.signal, lease.signal, seen.stop]),
    deadlineMs: request.deadlineMs,
    onLine: seen.line,
    onSpawn: (pid) => void lease.reportPid(pid).catch(ignoreLostGateway),
  })
  const { meter, conversation: told } = await lease.finish()
  const heard = listens ? told : null
  const conversation = heard !== null && seen.isOver() ? untilLastCall(heard, eventsIn(heard)) : heard
  const { events, summary: said } = seen.end()
  const summary = { ...said, sessionId: said.sessionId ?? command.sessionId ?? null }
  return { result, events, summary, meter, conversation, stopped: seen.isOver() }
}

function isRecorded({ kind }: AnswerSource): boolean {
  return kind === 'record' || kind === 'replay'
}

// An engine whose own stream hides calls is heard in every run.
function isHeard({ engine }: AgentRequest): boolean {
  return engine.engine.complete !== undefined
}

// A gateway that is gone aborts the lease, which ends the session.
function ignoreLostGateway(): void {}

function leaseRequest(request: AgentRequest, workspace: Workspace): LeaseRequest {
  const { source, label, engine } = request
  const { name, wire } = engine.engine
  const expanded = expandAnswers(source, foldersOf(request, workspace))
  return { caseId: label, engine: name, wire, source: expanded, listen: isHeard(request) }
}
