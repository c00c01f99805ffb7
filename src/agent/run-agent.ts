import { setImmediate as nextTurn } from 'node:timers/promises'
import { isProgram } from '../engines/find/find.ts'
import { enginesFor } from '../engines/registry.ts'
import { acquireLease } from '../gateway/control/client.ts'
import { createLimit } from '../gateway/pace/limit.ts'
import { askDirectly } from './ask-directly.ts'
import { buildAgentRun } from './build-agent-run.ts'
import { expandAnswers } from './expand-answers.ts'
import { describeHanging, explainBroken } from '../engines/hooks/hanging-hooks.ts'
import { readInstalledSkills } from './installed-skills.ts'
import { readDecisions, readUnfinished } from './read-decisions.ts'
import { findNamedModels } from './named-models.ts'
import { needsPort } from '../sandbox/paths.ts'
import { foldersOf, nameSession, NO_GATEWAY, sandboxPlace } from './session-folders.ts'
import { isObserved, isRecorded, runSession, type StagedSession } from './run-session.ts'
import { findMockCalls, withStandIns } from './plugin-case/plugin-session.ts'
import { stagePluginCase } from './plugin-case/stage-plugin-case.ts'
import { installationOf, pathsOf, stageSession } from './stage-session.ts'
import { describeRefused } from './describe-refused.ts'
import { createWorkspace, type Workspace } from '../workspace/create-workspace.ts'
import { findChanges } from '../workspace/file-changes.ts'
import { walkWorkspace } from '../workspace/hash-walk.ts'
import type { Installation } from '../engines/engine.ts'
import type { LeaseRequest } from '../gateway/leases/lease.ts'
import type { SessionEnd } from './build-agent-run.ts'
import type { AgentOutcome, AgentRequest } from './agent-request.ts'

/**
 * Runs an engine once: stage, wait for a place, run, kill whatever is left, look at what changed.
 *
 * @throws {AgentEvalsError} when the run cannot be prepared; what goes wrong in the run itself is part of it.
 */
export async function runAgent(asked: AgentRequest): Promise<AgentOutcome> {
  const resumed = (await asked.resume?.()) ?? null
  using turn = { [Symbol.dispose]: await staging.enter(asked.signal) }
  const { keepWorkspace: keep, project } = asked
  const workspace = resumed?.workspace ?? createWorkspace({ keep, project, engines: enginesFor(asked) })
  asked.handOver?.(workspace)
  await using _ = asked.handOver === undefined ? workspace : null
  const request = withStandIns(asked, pathsOf(asked, workspace))
  const installation = installationOf(request, workspace)
  const warnings = resumed === null ? await stageSession(request, workspace, installation) : []
  const notices = resumed === null ? await stagePluginCase(request, workspace) : []
  const before = await walkWorkspace(workspace.workspace)
  const skills = await readInstalledSkills(workspace.workspace, before)
  const decided = resumed === null ? 0 : (await readDecisions(workspace.hooks)).length
  turn[Symbol.dispose]()

  const needed = leaseRequest(request, workspace, installation)
  const lease = await (request.openLease?.(needed) ?? acquireLease(request.controlSocket, needed, request.signal))
  let ended: SessionEnd
  let endedAt = 0
  try {
    request.onStart?.()
    const resume = resumed?.sessionId ?? null
    ended = await runEngine(request, { workspace, installation, lease, resume, skills })
    endedAt = Date.now()
  } finally {
    await lease.release()
  }

  // The place is another run's now, which is started first.
  await nextTurn()
  const files = await findChanges(workspace.workspace, before, { ignore: request.engine.engine.litter ?? [] })
  const hookPlace = {
    plan: installation.hookPlan,
    isClosed: request.sandbox.backend !== 'none' && !request.suite.config.network,
  }
  const decisions = explainBroken((await readDecisions(workspace.hooks)).slice(decided), hookPlace)
  const run = buildAgentRun({
    request,
    ended,
    files,
    mockCalls: await findMockCalls(request, workspace),
    decisions,
    hanging: describeHanging(await readUnfinished(workspace.hooks), endedAt, hookPlace),
    hookPlan: installation.hookPlan,
    isResumed: resumed !== null,
    skills,
    workspace: request.keepWorkspace ? workspace.workspace : null,
  })
  await request.collect?.(workspace.workspace, run)
  const conversation =
    ended.conversation === null || !isRecorded(request.source)
      ? null
      : nameSession(request, workspace, ended.conversation)
  return {
    run,
    warnings: [
      ...warnings,
      ...notices,
      ...describeRefused(ended.meter),
      ...(run.recordNotice === undefined ? [] : [run.recordNotice]),
    ],
    conversation,
    credential: lease.grant.credential,
    stopped: ended.stopped,
    skillsListed: ended.summary.skills,
    differs: ended.differs ?? null,
    folders: foldersOf(request, workspace),
  }
}

// Those that could only wait for a place must not keep the first from theirs.
const staging = createLimit(1)

function runEngine(request: AgentRequest, session: StagedSession): Promise<SessionEnd> {
  const { engine } = request
  return isProgram(engine)
    ? runSession({ ...request, engine }, session)
    : askDirectly({ ...request, engine }, session.lease)
}

function leaseRequest(request: AgentRequest, workspace: Workspace, installation: Installation): LeaseRequest {
  const { source, label, engine, endsWith } = request
  const { name, wire } = engine.engine
  const expanded = expandAnswers(source, foldersOf(request, workspace))
  const named = [
    ...(engine.engine.ownModels ?? []),
    ...findNamedModels(request.package, workspace, enginesFor(request)),
  ]
  const models = { own: request.model, named }
  const { network } = request.suite.config
  const listen = isObserved(request, installation)
  const port = isProgram(engine) && needsPort(request.sandbox, sandboxPlace(request, workspace, NO_GATEWAY))
  return {
    caseId: label,
    engine: name,
    wire,
    source: expanded,
    models,
    network,
    listen,
    port,
    ...(endsWith === undefined ? {} : { endsWith }),
  }
}
