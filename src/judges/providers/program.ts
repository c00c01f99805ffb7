import { AgentEvalsError } from '../../lib/errors.ts'
import { findProgram, type FoundEngine } from '../../engines/find.ts'
import { findCredential, hasCredential, missingCredential } from '../../gateway/credentials.ts'
import { hookShimFile } from '../../engines/hooks/install-hooks.ts'
import { findDelay, type Delay } from '../../gateway/pace.ts'
import { RUN_TAG } from '../../gateway/leases/create-lease.ts'
import { insideRuntimeFile, needsPort, sandboxCommand, sandboxPaths } from '../../sandbox/decide.ts'
import type { PathRequest } from '../../sandbox/backend.ts'
import { runSandboxed, type SessionResult } from '../../sandbox/run.ts'
import { createWorkspace, type Workspace } from '../../session/workspace.ts'
import { writeInto } from '../../session/stage-base.ts'
import type { GatewayAccess, ProgramEngine, SessionPaths } from '../../engines/engine.ts'
import type { SandboxDecision, SandboxedCommand } from '../../sandbox/sandbox.ts'
import type { JudgeCall, JudgeProvider, JudgeProviderKind, JudgeReply } from './provider.ts'
import type { WireName } from '../../gateway/leases/lease.ts'

/** A CLI that can judge. */
export interface JudgeProgram {
  readonly engine: ProgramEngine
  /** Its name in messages. */
  readonly title: string
  /** Wire whose credential it takes. */
  readonly wire: WireName
  /** Tool that its model calls to give a structured answer; absent where the answer is a text. */
  readonly answerTool?: string
  /** Whether it is the usual judge of the subscription's token, and what a user has to know then. */
  readonly subscriptionHint?: string
  resolveModel(model: string): string
  /** Builds the command line for one question; what is asked of the judge goes to its standard input. Pure. */
  command(question: ProgramQuestion): ProgramCommand
  /** Reads what it printed, and how it ended. Pure. */
  read(result: SessionResult): JudgeReply
}

/** What a command line is built from. */
export interface ProgramQuestion extends Pick<JudgeCall, 'model' | 'schema'> {
  /** Our instructions. */
  readonly system: string
  readonly paths: SessionPaths
  /** Whether the operating system confines the session. */
  readonly confined: boolean
  readonly gateway: GatewayAccess
}

export interface ProgramCommand {
  readonly arguments: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Written below the program's config folder. */
  readonly configFiles: readonly { readonly to: string; readonly content: string }[]
}

/** The kind of judge that is this program. */
export function programKind(program: JudgeProgram): JudgeProviderKind {
  const { engine, subscriptionHint, wire } = program
  const isSubscription = (environment: Readonly<Record<string, string | undefined>>): boolean =>
    hasCredential(wire, environment) && findCredential(wire, environment).kind === 'oauth'
  return {
    wire,
    recognises: (_, credential, modelWire) =>
      subscriptionHint !== undefined && credential === 'oauth' && modelWire === wire,
    missing: (environment) => missingCredential(wire, environment),
    hint: (environment) => (isSubscription(environment) ? (subscriptionHint ?? null) : null),
    async open({ engines, root, sandbox }) {
      if ('code' in sandbox) throw new AgentEvalsError(sandbox.code, sandbox.message)
      const option = engines[engine.name]
      const { executable } = await findProgram(engine, { option, environment: process.env, root })
      return createProgramProvider(program, executable, sandbox)
    },
  }
}

/** A CLI as a judge: without tools, in an empty folder of its own and in the sandbox. */
export function createProgramProvider(
  program: JudgeProgram,
  executable: FoundEngine<ProgramEngine>['executable'],
  sandbox: SandboxDecision,
): JudgeProvider {
  return {
    wire: program.engine.wire,
    needsPort: needsPort(sandbox, { bridge: program.engine.transport === 'tcp', network: false }),
    ...(program.answerTool === undefined ? {} : { answerTool: program.answerTool }),
    resolveModel: (model) => Promise.resolve(program.resolveModel(model)),
    async ask(call) {
      if (call.prompt.images !== undefined)
        return {
          kind: 'failed',
          problem: `${program.title} cannot be shown an image. Name a judge that is asked over an API, such as --judge-model anthropic:claude-haiku.`,
          final: true,
        }
      // In any other folder it would read instructions that lie there.
      await using workspace = createWorkspace()
      const result = await runSandboxed(prepare(call, program, executable, sandbox, workspace), {
        stdin: call.prompt.user,
        signal: AbortSignal.any([call.signal, call.lease.signal]),
        deadlineMs: DEADLINE_MS,
        onSpawn: (pid) => void call.lease.reportPid(pid).catch(ignoreLostGateway),
      })
      await call.lease.reportPid(null)
      call.signal.throwIfAborted()
      return result.timedOut
        ? { kind: 'failed', problem: describeTimeout(program, findDelay(await call.lease.meter())), final: false }
        : readResult(program, result)
    },
  }
}

const DEADLINE_MS = 300_000

// A gateway that is gone aborts the lease, which ends the session.
function ignoreLostGateway(): void {}

function prepare(
  { prompt, model, schema, lease }: JudgeCall,
  program: JudgeProgram,
  executable: string,
  sandbox: SandboxDecision,
  workspace: Workspace,
): SandboxedCommand {
  const { engine } = program
  const { grant } = lease
  const pathRequest: PathRequest = {
    root: workspace.root,
    executable,
    network: false,
    gatewaySocket: grant.socket,
    gatewayPort: grant.port ?? 0,
    bridge: engine.transport === 'tcp',
    shim: hookShimFile(),
  }
  const paths = sandboxPaths(sandbox, pathRequest)
  const built = program.command({
    system: prompt.system,
    model,
    schema,
    paths: { ...paths, packageRoot: paths.package },
    confined: sandbox.backend !== 'none',
    gateway: {
      baseUrl: paths.gatewayUrl,
      socket: paths.gatewaySocket,
      token: grant.token,
      credential: grant.credential,
      ...(grant.aliases === undefined ? {} : { aliases: grant.aliases }),
    },
  })
  for (const { to, content } of built.configFiles) writeInto(workspace.config, to, content)
  return sandboxCommand(sandbox, {
    ...pathRequest,
    arguments: built.arguments,
    env: { ...built.env, [RUN_TAG]: grant.id },
    readOnly: [
      { from: process.execPath, to: paths.node },
      { from: pathRequest.shim, to: paths.shim },
      ...engine.runtimeFiles(executable).map((from) => ({ from, to: insideRuntimeFile(executable, from) })),
    ],
    writablePaths: null,
    decoyEtc: false,
  })
}

function readResult(program: JudgeProgram, result: SessionResult): JudgeReply {
  if (result.setupError !== null)
    return { kind: 'failed', problem: `The sandbox did not start: ${result.setupError}`, final: true }
  if (result.resourceLimit !== null) return { kind: 'failed', problem: result.resourceLimit, final: true }
  return program.read(result)
}

function describeTimeout({ title }: JudgeProgram, delay: Delay | null): string {
  return `${title} did not answer within ${DEADLINE_MS / 1000} s${delay === null ? '' : `, ${delay.clause}`}.`
}

/** The reply of a program that ended without a word that can be understood. */
export function noResult({ title }: Pick<JudgeProgram, 'title'>, { stderrTail, exitCode }: SessionResult): JudgeReply {
  const words = stderrTail.trim() || `exit code ${exitCode}`
  return { kind: 'failed', problem: `${title} gave no result: ${words.slice(-500)}`, final: false }
}
