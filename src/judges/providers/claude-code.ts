import { buildEnvironment } from '../../engines/claude-code/command.ts'
import { claudeCode } from '../../engines/claude-code/engine.ts'
import { findProgram } from '../../engines/find.ts'
import { hookShimFile } from '../../engines/hooks/install-hooks.ts'
import { findCredential, hasCredential, missingCredential } from '../../gateway/credentials.ts'
import { RUN_TAG } from '../../gateway/leases/create-lease.ts'
import { findDelay, type Delay } from '../../gateway/rate-limiter.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isJsonObject, stringOf, tryParseJson } from '../../lib/json.ts'
import type { PathRequest } from '../../sandbox/sandbox.ts'
import { insideRuntimeFile, needsPort, sandboxCommand, sandboxPaths } from '../../sandbox/decide.ts'
import { runSandboxed, type SessionResult } from '../../sandbox/run.ts'
import type { SandboxDecision, SandboxedCommand } from '../../sandbox/sandbox.ts'
import { createWorkspace, type Workspace } from '../../session/workspace.ts'
import {
  claudeCodeAlias,
  type JudgeCall,
  type JudgeProvider,
  type JudgeProviderKind,
  type JudgeReply,
} from './provider.ts'

const { wire } = claudeCode

/** Claude Code as a judge. It takes a subscription's token. */
export const claudeCodeJudge: JudgeProviderKind = {
  wire,
  recognises: (_, credential, modelWire) => credential === 'oauth' && modelWire === wire,
  missing: (environment) => missingCredential(wire, environment),
  hint: (environment) =>
    hasCredential(wire, environment) && findCredential(wire, environment).kind === 'oauth'
      ? 'CLAUDE_CODE_OAUTH_TOKEN is set: choose a judge it can reach with --judge claude-code:sonnet.'
      : null,
  async open({ engines, root, sandbox }) {
    if ('code' in sandbox) throw new AgentEvalsError(sandbox.code, sandbox.message)
    const option = engines[claudeCode.name]
    const { executable } = await findProgram(claudeCode, { option, environment: process.env, root })
    return createProvider(executable, sandbox)
  },
}

// Runs without tools, in an empty folder of its own and in the sandbox.
function createProvider(executable: string, sandbox: SandboxDecision): JudgeProvider {
  return {
    wire,
    needsPort: needsPort(sandbox, REACH),
    answerTool: 'StructuredOutput',
    resolveModel: (model) => Promise.resolve(claudeCodeAlias(model)),
    async ask(call) {
      if (call.prompt.images !== undefined)
        return {
          kind: 'failed',
          problem:
            'Claude Code cannot be shown an image. Name a judge that is asked over an API, such as --judge-model anthropic:claude-haiku.',
          final: true,
        }
      // In any other folder it would read instructions that lie there.
      await using workspace = createWorkspace()
      const result = await runSandboxed(prepare(call, executable, sandbox, workspace), {
        stdin: call.prompt.user,
        signal: AbortSignal.any([call.signal, call.lease.signal]),
        deadlineMs: DEADLINE_MS,
        onSpawn: (pid) => void call.lease.reportPid(pid).catch(ignoreLostGateway),
      })
      await call.lease.reportPid(null)
      call.signal.throwIfAborted()
      return result.timedOut
        ? { kind: 'failed', problem: describeTimeout(findDelay(await call.lease.meter())), final: false }
        : read(result)
    },
  }
}

/** How its session reaches the gateway and the network. */
const REACH = { bridge: claudeCode.transport === 'tcp', network: false }

const DEADLINE_MS = 300_000

// A gateway that is gone aborts the lease, which ends the session.
function ignoreLostGateway(): void {}

function prepare(
  { prompt, model, schema, lease: { grant } }: JudgeCall,
  executable: string,
  sandbox: SandboxDecision,
  workspace: Workspace,
): SandboxedCommand {
  const pathRequest: PathRequest = {
    ...REACH,
    root: workspace.root,
    executable,
    gatewaySocket: grant.socket,
    gatewayPort: grant.port ?? 0,
    shim: hookShimFile(),
  }
  const paths = sandboxPaths(sandbox, pathRequest)
  const gateway = {
    baseUrl: paths.gatewayUrl,
    socket: paths.gatewaySocket,
    token: grant.token,
    credential: grant.credential,
    ...(grant.aliases === undefined ? {} : { aliases: grant.aliases }),
  }
  const env = buildEnvironment({
    env: {},
    paths: { ...paths, packageRoot: paths.package },
    confined: sandbox.backend !== 'none',
    gateway,
  })
  return sandboxCommand(sandbox, {
    ...pathRequest,
    arguments: [
      '-p',
      '--output-format=json',
      '--json-schema',
      JSON.stringify(schema),
      '--system-prompt',
      prompt.system,
      '--model',
      model,
      '--tools',
      '',
      '--disable-slash-commands',
      '--setting-sources=',
      '--strict-mcp-config',
      '--no-session-persistence',
    ],
    env: { ...env, [RUN_TAG]: grant.id },
    readOnly: [
      { from: process.execPath, to: paths.node },
      { from: pathRequest.shim, to: paths.shim },
      ...claudeCode.runtimeFiles(executable).map((from) => ({ from, to: insideRuntimeFile(executable, from) })),
    ],
    writablePaths: null,
    decoyEtc: false,
  })
}

// Whatever it says in prose, and with whatever exit code: without a structured answer there is none.
function read(result: SessionResult): JudgeReply {
  if (result.setupError !== null)
    return { kind: 'failed', problem: `The sandbox did not start: ${result.setupError}`, final: true }
  const printed = tryParseJson(result.stdoutTail.trim().split('\n').at(-1) ?? '')
  if (!isJsonObject(printed)) return noResult(result)
  const { structured_output: answer, stop_reason: stop, subtype } = printed
  if (stop === 'refusal') return { kind: 'stopped', why: 'refusal' }
  if (stop === 'max_tokens') return { kind: 'stopped', why: 'max-tokens' }
  if (answer !== undefined && answer !== null) return { kind: 'json', value: answer }
  if (printed['is_error'] === true && subtype !== 'error_max_structured_output_retries') {
    return {
      kind: 'failed',
      problem: stringOf(printed['result']) || stringOf(subtype) || 'Claude Code ended with an error.',
      final: false,
    }
  }
  return { kind: 'malformed', problem: 'there was no structured answer' }
}

function noResult({ stderrTail, exitCode }: SessionResult): JudgeReply {
  const words = stderrTail.trim() || `exit code ${exitCode}`
  return { kind: 'failed', problem: `Claude Code gave no result: ${words.slice(-500)}`, final: false }
}

function describeTimeout(delay: Delay | null): string {
  return `Claude Code did not answer within ${DEADLINE_MS / 1000} s${delay === null ? '' : `, ${delay.clause}`}.`
}
