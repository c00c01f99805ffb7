import { hookShimFile, shimFiles } from '../../engines/hook-shim-file.ts'
import { buildEnvironment } from '../../engines/claude-code/environment.ts'
import { RUN_TAG } from '../../gateway/run-tag.ts'
import { isJsonObject, type JsonValue } from '../../json.ts'
import { sandboxCommand } from '../../sandbox/command.ts'
import { insideRuntimeFile, sandboxPaths, type SandboxPlace } from '../../sandbox/paths.ts'
import { runSandboxed, type SessionResult } from '../../sandbox/run.ts'
import { createWorkspace } from '../../workspace/create-workspace.ts'
import { claudeCodeAlias } from '../model-families.ts'
import type { ProgramEngine } from '../../engines/engine.ts'
import type { FoundEngine } from '../../engines/find.ts'
import type { SandboxDecision, SandboxedCommand } from '../../sandbox/sandbox.ts'
import type { JudgeCall, JudgeProvider, JudgeReply } from './provider.ts'

/** The CLI as a judge: without tools, in an empty folder of its own and in the sandbox. It takes a subscription's token. */
export function createClaudeCodeProvider(engine: FoundEngine<ProgramEngine>, sandbox: SandboxDecision): JudgeProvider {
  return {
    wire: engine.engine.wire,
    resolveModel: (model) => Promise.resolve(claudeCodeAlias(model)),
    async ask(call) {
      // In any other folder it would read instructions that lie there.
      await using workspace = createWorkspace()
      const result = await runSandboxed(buildCommand(call, engine, sandbox, workspace.root), {
        stdin: call.prompt.user,
        signal: AbortSignal.any([call.signal, call.lease.signal]),
        deadlineMs: DEADLINE_MS,
        onSpawn: (pid) => void call.lease.reportPid(pid).catch(ignoreLostGateway),
      })
      await call.lease.reportPid(null)
      call.signal.throwIfAborted()
      return readResult(result)
    },
  }
}

const DEADLINE_MS = 300_000

// A gateway that is gone aborts the lease, which ends the session.
function ignoreLostGateway(): void {}

function buildCommand(
  { prompt, model, schema, lease }: JudgeCall,
  { engine, executable }: FoundEngine<ProgramEngine>,
  sandbox: SandboxDecision,
  root: string,
): SandboxedCommand {
  const { grant } = lease
  const place: SandboxPlace = {
    root,
    executable,
    network: false,
    gatewaySocket: grant.socket,
    gatewayPort: grant.port,
    bridge: engine.reaches === 'tcp',
    shim: hookShimFile(),
  }
  const paths = sandboxPaths(sandbox, place)
  const env = buildEnvironment({
    env: {},
    paths: { ...paths, packageRoot: paths.package },
    confined: sandbox.backend !== 'none',
    gateway: {
      baseUrl: paths.gatewayUrl,
      socket: paths.gatewaySocket,
      token: grant.token,
      credential: grant.credential,
    },
  })
  return sandboxCommand(sandbox, {
    ...place,
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
      ...shimFiles(place.shim, paths.shim),
      ...engine.runtimeFiles(executable).map((from) => ({ from, to: insideRuntimeFile(executable, from) })),
    ],
    writablePaths: null,
    decoyEtc: false,
  })
}

// Whatever it says in prose, and with whatever exit code: without a structured answer there is none.
function readResult(result: SessionResult): JudgeReply {
  if (result.setupError !== null)
    return { kind: 'failed', problem: `The sandbox did not start: ${result.setupError}`, final: true }
  if (result.timedOut)
    return { kind: 'failed', problem: `It did not answer within ${DEADLINE_MS / 1000} s.`, final: false }
  const said = parse(result.stdoutTail.trim().split('\n').at(-1) ?? '')
  if (!isJsonObject(said)) {
    const words = result.stderrTail.trim() || `exit code ${result.exitCode}`
    return { kind: 'failed', problem: `Claude Code gave no result: ${words.slice(-500)}`, final: false }
  }
  const { structured_output: answer, stop_reason: stop, subtype } = said
  if (stop === 'refusal') return { kind: 'stopped', why: 'refusal' }
  if (stop === 'max_tokens') return { kind: 'stopped', why: 'max-tokens' }
  if (answer !== undefined && answer !== null) return { kind: 'json', value: answer }
  if (said['is_error'] === true && subtype !== 'error_max_structured_output_retries') {
    return {
      kind: 'failed',
      problem: textOf(said['result']) || textOf(subtype) || 'Claude Code ended with an error.',
      final: false,
    }
  }
  return { kind: 'malformed', problem: 'there was no structured answer' }
}

function parse(text: string): JsonValue | null {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return null
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
