import { promptsOf } from '../formats/kinds.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine, Installation, SessionPaths, StreamReader, StreamSummary } from '../engines/engine.ts'
import { enginesFor } from '../engines/registry.ts'
import type { FinishedLease } from '../gateway/control/client.ts'
import { countRequests, type Conversation, type ObservedThread } from '../recordings/conversation.ts'
import type { SessionResult } from '../sandbox/run.ts'
import { decidesRun } from '../transcript/select.ts'
import { createSkillReads, type SkillReads } from '../transcript/skill-reads.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import { NO_GATEWAY, isRecorded, pathsIn, pathRequestOf, sessionPaths, type AgentRequest } from './agent-request.ts'
import { answeringFor } from './answer-questions.ts'
import { createTrace, type SessionEnd } from './build-agent-run.ts'
import { withMockFiles } from './plugin-session.ts'
import {
  converse,
  ignoreLostGateway,
  runProgram,
  type EndTurn,
  type ProgramRequest,
  type StagedSession,
  type StartProgram,
} from './run-program.ts'
import { stageWorkspace } from './stage.ts'
import { pairCalls, promptEvent } from './weave-stream.ts'
import type { Workspace } from './workspace.ts'

/** Runs the program of an engine in the sandbox until its tree is gone. */
export async function runSession(request: ProgramRequest, session: StagedSession): Promise<SessionEnd> {
  const { installation, lease, skills } = session
  const { engine } = request.engine
  const prompts = promptsOf(request.evalCase)
  const several = prompts.length > 1
  const eventsIn = (conversation: Conversation): SessionEnd['events'] => withModelIds(engine, seen.events, conversation)
  const listens = isRecorded(request.source) || engine.recordTable !== undefined
  const reader = joinReaders(() => withSkillReads(engine.createReader(), createSkillReads(skills, prompts)))
  const { endsWith, abortsAfter } = request
  const isLast = (event: UnnumberedEvent): boolean =>
    (endsWith !== undefined && decidesRun(event, endsWith)) || abortsAfter?.(event) === true
  const seen = watchEvents(reader, isLast, async () => {
    if (listens) await untilAnswered(() => lease.conversation(), eventsIn)
    await lease.endAnswers()
  })
  const answering = answeringFor(request)
  const trace = (request.pluginCase ?? null) === null ? null : createTrace()
  const requestsBefore: number[] = []
  let lastSessionId: string | null = null
  const endOf = (now: Pick<FinishedLease, 'conversation' | 'meter'>, result: SessionResult): SessionEnd => {
    const observed = several ? { ...now.conversation, prompts: [...requestsBefore] } : now.conversation
    const whole = isObserved(request, installation) || listens ? observed : null
    const conversation = whole !== null && seen.isOver() ? untilLastCall(whole, eventsIn(whole)) : whole
    const read = reader.end()
    return {
      result,
      events: [...seen.events],
      times: seen.times,
      ...(trace === null ? {} : { trace: trace.lines }),
      summary: { ...read, sessionId: read.sessionId ?? lastSessionId },
      meter: now.meter,
      conversation,
      stopped: seen.isOver(),
      ...(answering === null ? {} : { unanswered: answering.notices() }),
    }
  }
  const ask = (conversation: Conversation | null): string | null => {
    const prompt = prompts[requestsBefore.length] ?? null
    if (prompt === null) return null
    requestsBefore.push(conversation === null ? 0 : countRequests(conversation))
    if (several) seen.add(promptEvent(requestsBefore.length, prompt))
    return prompt
  }
  /** Hands over what there is until now; returns the next message, `null` where none follows. */
  const endTurn: EndTurn = async (result) => {
    if (requestsBefore.length === prompts.length) return null
    const conversation = await until(() => lease.conversation(), isQuiet)
    const ended = endOf({ conversation, meter: await lease.meter() }, result)
    if (ended.summary.status !== 'completed' || ended.meter.problems.length > 0) return null
    await session.onTurn?.(ended)
    return ask(conversation)
  }
  const startedAt = performance.now()
  const start: StartProgram = async (prompt, resume, { stdin, onLine = () => {}, signal = seen.stop } = {}) => {
    const { result, sessionId } = await runProgram(request, session, {
      prompt,
      resume,
      stdin,
      signal: AbortSignal.any([signal, seen.stop]),
      isAnswered: answering !== null,
      deadlineMs: request.deadlineMs - (resume === session.resume ? 0 : performance.now() - startedAt),
      onLine: (line) => {
        const found = seen.line(line)
        trace?.push(line, found)
        onLine(line)
      },
    })
    lastSessionId = sessionId
    return result
  }
  const first = ask(null) ?? ''
  /** Each message for a process of its own, which goes on with the session of the one before; most sessions have one. */
  const resumeEach = async (): Promise<SessionResult> => {
    let result = await start(first, session.resume)
    for (let next = await endTurn(result); next !== null; next = await endTurn(result)) {
      const { sessionId } = reader.end()
      reader.next()
      result = await start(next, sessionId)
    }
    return result
  }
  const { dialogue } = engine
  const ended =
    dialogue !== undefined && (several || answering !== null)
      ? await converse(dialogue, {
          start: (more) => start(first, session.resume, more),
          endTurn,
          startedAt,
          answer: answering?.answer,
        })
      : await resumeEach()
  const finished = await lease.finish()
  const whole = several ? { ...ended, durationMs: performance.now() - startedAt } : ended
  return { ...endOf(finished, whole), differs: finished.differs }
}

/** The readers of one session's processes. */
interface JoinedReader extends StreamReader {
  /** Another process of the session begins. */
  next(): void
}

function joinReaders(create: () => StreamReader): JoinedReader {
  const earlier: StreamSummary[] = []
  let reader = create()
  return {
    line: (text) => reader.line(text),
    next() {
      earlier.push(reader.end())
      reader = create()
    },
    end: () => earlier.reduceRight(joinSummaries, reader.end()),
  }
}

function joinSummaries(last: StreamSummary, before: StreamSummary): StreamSummary {
  return {
    ...last,
    version: last.version ?? before.version,
    sessionId: last.sessionId ?? before.sessionId,
    model: last.model ?? before.model,
    skills: last.skills ?? before.skills,
    output: [before.output, last.output].filter(Boolean).join('\n\n'),
    hooksWithoutVerdict: before.hooksWithoutVerdict + last.hooksWithoutVerdict,
    ...(before.hookRuns === undefined ? {} : { hookRuns: [...before.hookRuns, ...(last.hookRuns ?? [])] }),
  }
}

// The engines' own signs of a reading are replaced: what a tool returned shows it.
function withSkillReads(reader: StreamReader, reads: SkillReads): StreamReader {
  return {
    line: (text) => reader.line(text).flatMap((event) => reads.take(event)),
    end: () => reader.end(),
  }
}

/**
 * Whether a run that is not recorded listens to what is asked and answered: that is the record of the run, and hooks and
 * mocks are compared with it.
 */
export function isObserved({ engine: { engine }, standIns = [] }: AgentRequest, { hookPlan }: Installation): boolean {
  const hasHooks = engine.hookCoverage !== undefined && hookPlan.hooks.length > 0
  return engine.recordTable !== undefined || hasHooks || standIns.length > 0
}

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
  await until(conversation, (observed) => {
    const events = eventsOf(observed)
    return observed.threads.some((thread) => thread.thread === 'main' && lastTurn(thread, events) >= 0)
  })
}

// The last answer of a turn is read to its end, which may come after the turn.
function isQuiet({ threads }: Conversation): boolean {
  return threads.find(({ thread }) => thread === 'main')?.turns.at(-1)?.answer !== null
}

async function until(
  conversation: () => Promise<Conversation>,
  isDone: (observed: Conversation) => boolean,
): Promise<Conversation> {
  let observed = await conversation()
  for (let attempt = 1; attempt < ATTEMPTS && !isDone(observed); attempt += 1) {
    await sleep(PAUSE_MS)
    observed = await conversation()
  }
  return observed
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
  /** Takes an event that no line tells. */
  readonly add: (event: UnnumberedEvent) => void
}

/**
 * Reads a run up to the event that decides it, if there is to be one. What the engine gets done before it is ended is
 * left out, so that a run and its replay show the same.
 */
export function watchEvents(
  reader: Pick<StreamReader, 'line'>,
  isLast: (event: UnnumberedEvent) => boolean,
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
    if (!isLast(event)) return
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
    add: take,
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
  return sessionPaths(pathsIn(request, pathRequestOf(request, workspace, NO_GATEWAY)))
}

/** Fills the workspace of a session with the case's files and the engine's installation; returns what is odd about them. */
export async function stageSession(
  request: AgentRequest,
  workspace: Workspace,
  installation: Installation,
): Promise<readonly string[]> {
  const packageFiles = request.inputs.packageFiles(request.package)
  const engines = enginesFor(request)
  const warnings = await stageWorkspace({ ...request, workspace, packageFiles, installation, engines })
  return [...(workspace.notice === null ? [] : [workspace.notice]), ...installation.warnings, ...warnings]
}
