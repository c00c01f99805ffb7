import { PassThrough, type Readable } from 'node:stream'
import type { Dialogue, Installation, ProgramEngine } from '../engines/engine.ts'
import { supportedArguments, type FoundEngine } from '../engines/find.ts'
import { promptsOf } from '../formats/kinds.ts'
import type { AcquiredLease } from '../gateway/control/client.ts'
import { RUN_TAG } from '../gateway/leases/create-lease.ts'
import { insideRuntimeFile, sandboxCommand } from '../sandbox/decide.ts'
import { INSIDE } from '../sandbox/environment.ts'
import { NO_PROCESS, runSandboxed, type SessionResult } from '../sandbox/run.ts'
import type { SkillText } from '../transcript/skill-reads.ts'
import type { Answering } from './answer-questions.ts'
import { pathsIn, pathRequestOf, sessionPaths, type AgentRequest } from './agent-request.ts'
import type { SessionEnd } from './session-end.ts'
import { historyOf, pluginCommand } from './plugin-session.ts'
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
  /** Takes what a session of several messages came to so far, before the next one is sent. */
  readonly onTurn?: (ended: SessionEnd) => Promise<void>
}

/** A session of an engine that is a program. */
export type ProgramRequest = AgentRequest & { readonly engine: FoundEngine<ProgramEngine> }

/** Takes the end of a turn; returns the next message, `null` where none follows. */
type EndTurn = (result: SessionResult) => Promise<string | null>

/** How a program is heard and spoken to. */
export interface ProgramIo {
  readonly stdin?: (command: string) => Readable | string
  readonly onLine?: (line: string) => void
  readonly signal?: AbortSignal
}

/** What a conversation with one process goes by. */
interface Conversing {
  readonly start: (io: ProgramIo) => Promise<SessionResult>
  readonly endTurn: EndTurn
  /** Milliseconds since the program started. */
  readonly elapsed: () => number
  /** Absent where the program was not told that somebody answers: nothing that asks is its own then. */
  readonly answer: Answering['answer'] | undefined
}

/** Several messages for one process, each once the turn before it has ended. */
export async function converse(
  dialogue: Dialogue,
  { start, endTurn, elapsed, answer }: Conversing,
): Promise<SessionResult> {
  const input = new PassThrough()
  const failure = new AbortController()
  const running: { turn: Promise<void> | null } = { turn: null }
  const goOn = async (): Promise<void> => {
    try {
      const next = await endTurn({ ...NO_PROCESS, durationMs: elapsed() })
      if (next === null) input.end()
      else input.write(dialogue.say(next))
    } catch (error) {
      failure.abort(error)
    } finally {
      running.turn = null
    }
  }
  const result = await start({
    stdin: (command) => {
      input.write(command)
      return input
    },
    signal: failure.signal,
    // What says so while a turn is being looked at is none of the session's.
    onLine: (line) => {
      const question = answer === undefined ? null : (dialogue.questions?.read(line) ?? null)
      const reply =
        question === null || answer === undefined ? undefined : dialogue.questions?.reply(question, answer(question))
      if (reply !== undefined) input.write(reply)
      else if (running.turn === null && dialogue.endsTurn(line)) running.turn = goOn()
    },
  })
  await running.turn
  input.destroy()
  if (failure.signal.aborted) throw failure.signal.reason
  return result
}

/** Starts the program once, and returns when it is gone. */
export async function runProgram(
  request: ProgramRequest,
  { workspace, installation, lease }: StagedSession,
  { prompt, resume, stdin, signal, deadlineMs, onSpawn, onLine, isAnswered }: ProgramRun,
): Promise<{ readonly result: SessionResult; readonly sessionId: string | null }> {
  const { suite, evalCase } = request
  const { engine, executable } = request.engine
  const pathRequest = pathRequestOf(request, workspace, lease.grant)
  const paths = pathsIn(request, pathRequest)
  const unpacked = engine.unpackedFolder?.(executable, process.env) ?? null
  const history = historyOf(request, sessionPaths(paths).config)
  // A CLI that is told what aliases mean resumes a transcript with its default model instead of the transcript's own.
  const keepsModel = history !== null && request.model === null
  const command = engine.command({
    prompt,
    ...(stdin === undefined ? {} : { converses: true as const }),
    ...(isAnswered ? { answersQuestions: true as const } : {}),
    ...(stdin === undefined && promptsOf(evalCase).length > 1 ? { isKept: true as const } : {}),
    resume: resume ?? history,
    target: evalCase.target,
    commands: request.package.commands,
    model: request.model,
    paths: sessionPaths(paths),
    confined: request.sandbox.backend !== 'none',
    writablePaths: suite.config.writablePaths,
    unpacked: unpacked === null || request.sandbox.backend === 'none' ? unpacked : INSIDE.unpacked,
    hasMcp: request.package.mcpServers.length > 0,
    hasMod: installation.hookPlan.mod !== undefined,
    gateway: {
      baseUrl: paths.gatewayUrl,
      socket: paths.gatewaySocket,
      token: lease.grant.token,
      credential: lease.grant.credential,
      ...(lease.grant.aliases === undefined || keepsModel ? {} : { aliases: lease.grant.aliases }),
    },
    ...pluginCommand(request, sessionPaths(paths)),
    settingsEnv: request.package.settings?.env ?? {},
    env: { ...suite.config.env, ...request.pluginCase?.execution.env },
  })
  const sandboxRequest = {
    ...pathRequest,
    arguments: supportedArguments(engine, request.engine.version, command.arguments),
    env: { ...command.env, [RUN_TAG]: lease.grant.id },
    readOnly: [
      { from: process.execPath, to: paths.node },
      { from: pathRequest.shim, to: paths.shim },
      ...engine.runtimeFiles(executable).map((from) => ({ from, to: insideRuntimeFile(executable, from) })),
      ...(unpacked === null ? [] : [{ from: unpacked, to: INSIDE.unpacked }]),
    ],
    writablePaths: suite.config.writablePaths,
    protectedFiles: protectedFilesOf(installation),
    decoyEtc: true,
  }
  const result = await runSandboxed(sandboxCommand(request.sandbox, sandboxRequest, {}), {
    stdin: stdin === undefined ? command.stdin : stdin(command.stdin),
    signal: AbortSignal.any([request.signal, lease.signal, signal]),
    deadlineMs,
    onLine,
    onSpawn(pid) {
      onSpawn()
      void lease.reportPid(pid).catch(ignoreLostGateway)
    },
  })
  return { result, sessionId: command.sessionId ?? null }
}

interface ProgramRun {
  readonly stdin: ProgramIo['stdin'] | undefined
  readonly prompt: string
  readonly resume: string | null
  readonly signal: AbortSignal
  readonly deadlineMs: number
  readonly onSpawn: () => void
  readonly onLine: (line: string) => void
  /** Whether somebody answers what the agent asks. */
  readonly isAnswered: boolean
}

/** The files of an installation that the session may only read, relative to the root of the run. */
function protectedFilesOf({ files, configFiles }: Installation): readonly string[] {
  return ['hooks/plan.json', ...readOnlyOf('workspace', files), ...readOnlyOf('config', configFiles)]
}

function readOnlyOf(folder: string, files: Installation['files']): readonly string[] {
  return files.flatMap(({ to, readOnly }) => (readOnly === true ? [`${folder}/${to}`] : []))
}

/** Does nothing: a gateway that is gone aborts the lease, which ends the session. */
export function ignoreLostGateway(): void {}
