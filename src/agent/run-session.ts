import { RUN_TAG } from '../gateway/leases/run-tag.ts'
import { sandboxCommand } from '../sandbox/command.ts'
import { INSIDE } from '../sandbox/inside.ts'
import { supportedArguments } from '../engines/find/version-support.ts'
import { insideRuntimeFile } from '../sandbox/paths.ts'
import { runSandboxed } from '../sandbox/run.ts'
import { untilAnswered, untilLastCall, withModelIds } from './last-call.ts'
import { pathsIn, sandboxPlace, sessionPaths } from './session-folders.ts'
import { protectedFilesOf } from './stage-session.ts'
import { historyOf } from './plugin-case/stage-plugin-case.ts'
import { pluginCommand } from './plugin-case/plugin-session.ts'
import { createTrace } from './trace-lines.ts'
import { watchEvents } from './watch-events.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { decidesRun } from '../transcript/deciding-use.ts'
import { createSkillReads, type SkillReads, type SkillText } from '../transcript/skill-reads.ts'
import type { Installation, ProgramEngine, StreamReader } from '../engines/engine.ts'
import type { FoundEngine } from '../engines/find/find.ts'
import type { AcquiredLease } from '../gateway/control/client.ts'
import type { AnswerSource } from '../gateway/leases/lease.ts'
import type { Workspace } from '../workspace/create-workspace.ts'
import type { SessionEnd } from './build-agent-run.ts'
import type { AgentRequest } from './agent-request.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** What a session starts with. */
export interface StagedSession {
  readonly workspace: Workspace
  readonly installation: Installation
  readonly lease: AcquiredLease
  /** Id of the session to go on with; `null` begins one. */
  readonly resume: string | null
  /** Skills that the session finds in its workspace. */
  readonly skills: readonly SkillText[]
}

/** Runs the program of an engine in the sandbox until its tree is gone. */
export async function runSession(
  request: AgentRequest & { readonly engine: FoundEngine<ProgramEngine> },
  { workspace, installation, lease, resume, skills }: StagedSession,
): Promise<SessionEnd> {
  const { suite, evalCase } = request
  const { engine, executable } = request.engine
  const place = sandboxPlace(request, workspace, lease.grant)
  const paths = pathsIn(request, place)
  const unpacked = engine.unpackedFolder?.(executable, process.env) ?? null
  const history = historyOf(request, sessionPaths(paths).config)
  // A CLI that is told what aliases mean resumes a transcript with its default model instead of the transcript's own.
  const keepsModel = history !== null && request.model === null
  const command = engine.command({
    prompt: evalCase.prompt,
    resume: resume ?? history,
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
      ...(lease.grant.aliases === undefined || keepsModel ? {} : { aliases: lease.grant.aliases }),
    },
    ...pluginCommand(request, sessionPaths(paths)),
    env: { ...suite.config.env, ...request.pluginCase?.execution.env },
  })
  const asked = {
    ...place,
    arguments: supportedArguments(engine, request.engine.version, command.arguments),
    env: { ...command.env, [RUN_TAG]: lease.grant.id },
    readOnly: [
      { from: process.execPath, to: paths.node },
      { from: place.shim, to: paths.shim },
      ...engine.runtimeFiles(executable).map((from) => ({ from, to: insideRuntimeFile(executable, from) })),
      ...(unpacked === null ? [] : [{ from: unpacked, to: INSIDE.unpacked }]),
    ],
    writablePaths: suite.config.writablePaths,
    protectedFiles: protectedFilesOf(installation),
    decoyEtc: true,
  }
  const sandboxed = sandboxCommand(request.sandbox, asked, {})

  const eventsIn = (conversation: Conversation): SessionEnd['events'] => withModelIds(engine, seen.events, conversation)
  const listens = isRecorded(request.source) || engine.recordTable !== undefined
  const reader = withSkillReads(engine.createReader(), createSkillReads(skills, [evalCase.prompt]))
  const { endsWith, abortsAfter } = request
  const isLast = (event: UnnumberedEvent): boolean =>
    (endsWith !== undefined && decidesRun(event, endsWith)) || abortsAfter?.(event) === true
  const seen = watchEvents(reader, isLast, async () => {
    if (listens) await untilAnswered(() => lease.conversation(), eventsIn)
    await lease.endAnswers()
  })
  const trace = (request.pluginCase ?? null) === null ? null : createTrace()
  const result = await runSandboxed(sandboxed, {
    stdin: command.stdin,
    signal: AbortSignal.any([request.signal, lease.signal, seen.stop]),
    deadlineMs: request.deadlineMs,
    onLine: (line) => {
      const found = seen.line(line)
      trace?.push(line, found)
    },
    onSpawn: (pid) => void lease.reportPid(pid).catch(ignoreLostGateway),
  })
  const finished = await lease.finish()
  const whole = isObserved(request, installation) || listens ? finished.conversation : null
  const conversation = whole !== null && seen.isOver() ? untilLastCall(whole, eventsIn(whole)) : whole
  const { events, summary: read } = seen.end()
  const summary = { ...read, sessionId: read.sessionId ?? command.sessionId ?? null }
  const { meter, differs } = finished
  return {
    result,
    events,
    times: seen.times,
    ...(trace === null ? {} : { trace: trace.lines }),
    summary,
    meter,
    conversation,
    stopped: seen.isOver(),
    differs,
  }
}

// The engines' own signs of a reading are replaced: what a tool returned shows it.
function withSkillReads(reader: StreamReader, reads: SkillReads): StreamReader {
  return {
    line: (text) => reader.line(text).flatMap((event) => reads.take(event)),
    end: () => reader.end(),
  }
}

/** Whether a conversation of this source is kept beyond its run. */
export function isRecorded({ kind }: AnswerSource): boolean {
  return kind === 'record' || kind === 'replay'
}

/**
 * Whether a run that is not recorded listens to what is asked and answered: that is the record of the run, and hooks and
 * mocks are compared with it.
 */
export function isObserved({ engine: { engine }, standIns = [] }: AgentRequest, { hookPlan }: Installation): boolean {
  const hasHooks = engine.hookCoverage !== undefined && hookPlan.hooks.length > 0
  return engine.recordTable !== undefined || hasHooks || standIns.length > 0
}

// A gateway that is gone aborts the lease, which ends the session.
function ignoreLostGateway(): void {}
