import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Engine,
  Installation,
  ProgramEngine,
  SessionPaths,
  StreamReader,
  StreamSummary,
} from '../engines/engine.ts'
import { supportedArguments, type FoundEngine } from '../engines/find.ts'
import { enginesFor } from '../engines/registry.ts'
import type { AcquiredLease } from '../gateway/control/client.ts'
import { RUN_TAG } from '../gateway/leases/create-lease.ts'
import type { AnswerSource } from '../gateway/leases/lease.ts'
import type { Conversation, ObservedThread } from '../recordings/conversation.ts'
import { insideRuntimeFile, sandboxCommand } from '../sandbox/decide.ts'
import { INSIDE } from '../sandbox/environment.ts'
import { runSandboxed } from '../sandbox/run.ts'
import { decidesRun } from '../transcript/select.ts'
import { createSkillReads, type SkillReads, type SkillText } from '../transcript/skill-reads.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import { NO_GATEWAY, pathsIn, sandboxPlace, sessionPaths, type AgentRequest } from './agent-request.ts'
import { createTrace, type SessionEnd } from './build-agent-run.ts'
import { historyOf, pluginCommand, withMockFiles } from './plugin-session.ts'
import { stageWorkspace } from './stage.ts'
import { pairCalls } from './weave-stream.ts'
import type { Workspace } from './workspace.ts'

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

/**
 * What was asked and answered up to the last call that the events show. How far a run got beyond that before it was
 * ended is chance, and so is who was refused meanwhile.
 */
export function untilLastCall({ threads }: Conversation, events: readonly UnnumberedEvent[]): Conversation {
  const shown = threads.map((thread) => {
    const last = thread.thread === 'main' ? lastTurn(thread, events) : -1
    return last < 0 ? thread : { ...thread, turns: thread.turns.slice(0, last + 1) }
  })
  return { threads: shown, unanswered: [] }
}

/**
 * Waits until the answer that asked for the last call was read to its end, which may come after the call: a recording
 * of the run must hold it. Not for ever, since an upstream may never end it.
 */
export async function untilAnswered(
  conversation: () => Promise<Conversation>,
  eventsOf: (conversation: Conversation) => readonly UnnumberedEvent[],
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const observed = await conversation()
    const events = eventsOf(observed)
    if (observed.threads.some((thread) => thread.thread === 'main' && lastTurn(thread, events) >= 0)) return
    await sleep(PAUSE_MS)
  }
}

/** The events of a stream with the ids that the model gave its calls: some engines number them in their own way. */
export function withModelIds(
  { recordTable }: Pick<Engine, 'recordTable'>,
  events: readonly UnnumberedEvent[],
  conversation: Conversation,
): readonly UnnumberedEvent[] {
  if (recordTable?.isCall === undefined) return events
  const pairs = pairCalls(conversation, events, recordTable)
  return events.map((event) =>
    event.kind === 'tool-call' ? { ...event, id: pairs.callOf(event.id)?.id ?? event.id } : event,
  )
}

const ATTEMPTS = 100
const PAUSE_MS = 20

function lastTurn({ turns }: ObservedThread, events: readonly UnnumberedEvent[]): number {
  const last = events.findLast((event) => event.kind === 'tool-call' && event.agent === null)
  if (last?.kind !== 'tool-call') return -1
  return turns.findIndex(
    ({ answer }) => answer?.content.some((block) => block.kind === 'tool-call' && block.id === last.id) === true,
  )
}

/** The events of one run as they come. */
interface WatchedEvents {
  /** Takes one line of the engine's stream; returns the events that it held. */
  readonly line: (text: string) => readonly UnnumberedEvent[]
  /** What was seen so far. */
  readonly events: readonly UnnumberedEvent[]
  /** Aborts when the run may be ended. */
  readonly stop: AbortSignal
  /** Whether the deciding event was seen. */
  readonly isOver: () => boolean
  /** When each event was seen, in milliseconds after the start. */
  readonly times: ReadonlyMap<UnnumberedEvent, number>
  readonly end: () => { readonly events: readonly UnnumberedEvent[]; readonly summary: StreamSummary }
}

/**
 * Reads a run up to the event that decides it, if there is to be one. What the engine gets done before it is ended is
 * left out, so that a run and its replay show the same.
 */
export function watchEvents(
  reader: StreamReader,
  endsAfter: ((event: UnnumberedEvent) => boolean) | undefined,
  settled: () => Promise<void>,
): WatchedEvents {
  const events: UnnumberedEvent[] = []
  const times = new Map<UnnumberedEvent, number>()
  const startedAt = performance.now()
  const stop = new AbortController()
  let isOver = false
  const take = (event: UnnumberedEvent): void => {
    if (isOver) return
    events.push(event)
    times.set(event, Math.round(performance.now() - startedAt))
    if (endsAfter?.(event) !== true) return
    isOver = true
    events.push(ENDED)
    void settled()
      .catch(ignoreLostGateway)
      .finally(() => stop.abort())
  }
  return {
    line: (text) => {
      const found = isOver ? [] : reader.line(text)
      for (const event of found) take(event)
      return found
    },
    events,
    times,
    stop: stop.signal,
    isOver: () => isOver,
    end: () => ({ events, summary: reader.end() }),
  }
}

const ENDED: UnnumberedEvent = {
  kind: 'notice',
  agent: null,
  text: 'The run was ended here, because later events cannot change its result.',
}

/** What the engine wants to find in a workspace. Pure, so that a session that goes on has the same. */
export function installationOf(request: AgentRequest, workspace: Workspace): Installation {
  const { engine, package: pkg, evalCase, suite } = request
  const installation = engine.engine.install({
    package: pkg,
    target: evalCase.target,
    skills: pkg.skills.map((skill) => skill.name),
    // Nothing that is installed names the gateway, whose port is not known yet.
    paths: pathsOf(request, workspace),
    environment: process.env,
    asPlugin: (request.pluginCase ?? null) !== null,
    ...(request.standIns === undefined ? {} : { standIns: request.standIns }),
    network: suite.config.network,
  })
  return withMockFiles(installation, request)
}

/** The paths of a session before it has a lease. */
export function pathsOf(request: AgentRequest, workspace: Workspace): SessionPaths {
  return sessionPaths(pathsIn(request, sandboxPlace(request, workspace, NO_GATEWAY)))
}

/** The files of an installation that the session may only read, relative to the root of the run. */
function protectedFilesOf({ files, configFiles }: Installation): readonly string[] {
  return ['hooks/plan.json', ...readOnlyOf('workspace', files), ...readOnlyOf('config', configFiles)]
}

function readOnlyOf(folder: string, files: Installation['files']): readonly string[] {
  return files.flatMap(({ to, readOnly }) => (readOnly === true ? [`${folder}/${to}`] : []))
}

/** Fills the workspace of a session with the case's files and the engine's installation; returns what is odd about them. */
export async function stageSession(
  request: AgentRequest,
  workspace: Workspace,
  installation: Installation,
): Promise<readonly string[]> {
  const { package: pkg, evalCase, suite } = request
  const packageFiles = request.inputs.packageFiles(pkg)
  const staged = await stageWorkspace({
    workspace,
    package: pkg,
    packageFiles,
    installation,
    suite,
    evalCase,
    projectCopy: request.projectCopy ?? true,
    scenarios: request.scenarios ?? null,
    engines: enginesFor(request),
  })
  const notices = workspace.notice === null ? [] : [workspace.notice]
  return [...notices, ...installation.warnings, ...staged.warnings]
}
