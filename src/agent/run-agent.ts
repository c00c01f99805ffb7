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
import type { AnswerSource, LeaseGrant, LeaseRequest } from '../gateway/lease.ts'
import type { InputCache } from '../inputs/input-cache.ts'
import type { SandboxDecision } from '../sandbox/sandbox.ts'
import type { EndedSession } from './ended-session.ts'
import type { SessionEnd } from './build-agent-run.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** One execution of a case by an engine. */
export interface AgentRequest {
  /** Shown while waiting and in errors. */
  readonly label: string
  readonly engine: FoundEngine
  readonly package: AgentPackage
  readonly suite: Pick<Suite, 'file' | 'config'> & Partial<Pick<Suite, 'packageRoot' | 'skill'>>
  readonly evalCase: Pick<EvalCase, 'arm' | 'files' | 'overlays' | 'prompt' | 'target' | 'trigger' | 'workspaceFiles'>
  readonly source: AnswerSource
  readonly model: string | null
  /** Milliseconds the engine may take once its run is granted. */
  readonly deadlineMs: number
  readonly sandbox: SandboxDecision
  readonly controlSocket: string
  readonly inputs: InputCache
  readonly keepWorkspace: boolean
  /** Whether artifact cases of skills get a copy of their project. @default true */
  readonly projectCopy?: boolean
  /** Absolute path of a folder of scenarios that is not the package's own; no session may see it. */
  readonly scenarios?: string | null
  readonly signal: AbortSignal
  /** Whether an event decides what the run was made for: the rest is not waited for, and costs nothing. */
  readonly endsAfter?: (event: UnnumberedEvent) => boolean
  /** Goes on with a session that has ended, in its workspace; absent for a session of its own. */
  readonly resume?: () => Promise<EndedSession>
  /** Takes the workspace over, as soon as there is one: it is not removed here then. */
  readonly handOver?: (workspace: Workspace) => void
  /** Called when the run is granted: from here on it may cost money. */
  readonly onStart?: () => void
  /** Looks at the workspace before it is removed. */
  readonly collect?: (workspace: string, run: AgentRun) => Promise<void>
}

/** What came of it, and what staging had to say. */
export interface AgentOutcome {
  readonly run: AgentRun
  /** One sentence each. */
  readonly warnings: readonly string[]
  /** What was asked and answered, paths replaced by names; `null` where nothing is recorded or replayed. */
  readonly conversation: Conversation | null
  /** Kind of credential the engine was given. */
  readonly credential: LeaseGrant['credential']
  /** Whether it was ended because it had shown what it was made for. */
  readonly stopped: boolean
  /** Skills that the session listed; `null` when it does not say. */
  readonly skillsListed: readonly string[] | null
}

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
