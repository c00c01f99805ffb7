import { realpathSync } from 'node:fs'
import { dirname, posix, relative } from 'node:path'
import { AgentEvalsError } from '../lib/errors.ts'
import type { Backend, FailedProbe, Host, Machine, WorkingBackend } from './backend.ts'
import type { PathRequest } from './sandbox.ts'
import { bubblewrap } from './bubblewrap/backend.ts'
import {
  INSIDE,
  isCi,
  isContainer,
  isEditor,
  readTextFile,
  unconfinedCommand,
  type Environment,
} from './environment.ts'
import { hostPaths, readHostLayout } from './host-layout.ts'
import { prepareSession } from './prepare-session.ts'
import { sandboxRuntime } from './sandbox-runtime/command.ts'
import {
  BACKEND_NAMES,
  type EnforcingBackend,
  type RefusedSandbox,
  type SandboxChoice,
  type SandboxDecision,
  type SandboxPaths,
  type SandboxRequest,
  type SandboxedCommand,
} from './sandbox.ts'

/** Where a decision is made. */
export interface DecisionContext {
  /** The parent's variables: `PATH`, `CI` and the signs of a container. */
  readonly environment: Environment
  /** Absolute path of the user's project, which may bring a backend's package. @default the current folder */
  readonly root?: string
  /** Remembers what came of the probe; one per process. */
  readonly probes?: Map<string, Promise<FailedProbe | WorkingBackend>>
  /** @default isContainer */
  readonly inContainer?: boolean
  /** @default whether this process is root's */
  readonly isRoot?: boolean
  /** @default process.platform */
  readonly platform?: NodeJS.Platform
}

/** As {@link settleSandbox}, but throws `sandbox-unavailable`. */
export async function decideSandbox(choice: SandboxChoice, context: DecisionContext): Promise<SandboxDecision> {
  const settled = await settleSandbox(choice, context)
  if ('code' in settled) throw new AgentEvalsError(settled.code, settled.message)
  return settled
}

/** Decides how sessions are confined, or why none is started: never silently not at all. */
export async function settleSandbox(
  choice: SandboxChoice,
  context: DecisionContext,
): Promise<RefusedSandbox | SandboxDecision> {
  if (choice === 'none') return { backend: 'none', asked: choice, enforced: 'none', notice: null }

  const backend = backendOf(choice, context)
  const probe = await rememberedProbe(backend, context)
  if (probe.works) return { backend, asked: choice, notice: null, enforced: probe.enforced, found: probe.found }

  if (probe.exhausted) return exhausted(backend, probe.reason)
  const excuse = excuseFor(choice, backend, context, probe)
  if (excuse === null) return unavailable(choice, backend, probe, context)

  return unconfined(
    choice,
    excuse,
    `agent-evals: no sandbox (${excuse}): ${probe.reason}. Agents run with your rights; writable paths, network and the registration of hooks are not enforced.`,
  )
}

function unconfined(choice: SandboxChoice, why: string, notice: string): SandboxDecision {
  return { backend: 'none', asked: choice, enforced: `none (${why})`, notice }
}

function backendOf(choice: Exclude<SandboxChoice, 'none'>, context: DecisionContext): EnforcingBackend {
  const { platform = process.platform } = context
  const isUsual = (name: EnforcingBackend): boolean => backends[name].isUsual(platform)
  return BACKEND_NAMES.find((name) => name === choice) ?? BACKEND_NAMES.find(isUsual) ?? 'bubblewrap'
}

async function rememberedProbe(
  backend: EnforcingBackend,
  { environment, root = process.cwd(), probes = PROBES }: DecisionContext,
): Promise<FailedProbe | WorkingBackend> {
  const found = backends[backend]
  const key = found.probeKey({ environment, root })
  const remembered = probes.get(key)
  if (remembered !== undefined) return remembered

  const probe = found.probe({ environment, root })
  probes.set(key, probe)
  // What was lacking may be there again.
  const result = await probe
  if (!result.works && result.exhausted) probes.delete(key)
  return result
}

// Why a session may run unconfined although a sandbox was wanted; `null` when it may not.
function excuseFor(
  choice: SandboxChoice,
  backend: EnforcingBackend,
  context: DecisionContext,
  probe: FailedProbe,
): string | null {
  if (choice === backend) return null
  if (context.inContainer ?? isContainer(context.environment)) return 'container'
  if (isCi(context.environment)) return 'CI'
  return choice === 'prefer' ? describeLack(backend, probe) : null
}

function describeLack(backend: EnforcingBackend, { found, reason }: FailedProbe): string {
  return found ? `${backend} does not work` : reason
}

function exhausted(backend: EnforcingBackend, reason: string): RefusedSandbox {
  return {
    code: 'sandbox-unavailable',
    message: `Could not probe ${backend}: the machine is out of resources (${reason}). Free them, or raise the limit (\`ulimit -n\` for open files), and run again.`,
    ownRepository: null,
  }
}

function unavailable(
  choice: SandboxChoice,
  backend: EnforcingBackend,
  probe: FailedProbe,
  context: DecisionContext,
): RefusedSandbox {
  const hint = installHint(readMachine(), backend, probe.found, probe.remedy)
  return {
    code: 'sandbox-unavailable',
    message: `The sandbox ${backend} does not work here: ${probe.reason}. ${hint}`,
    ownRepository: mayPlayOwn(choice, context)
      ? unconfined(
          choice,
          describeLack(backend, probe),
          `agent-evals: NO SANDBOX (${probe.reason}). Recordings and scenarios of this project run with your rights; writable paths and network are not enforced. Live cases are errored. ${hint}`,
        )
      : null,
  }
}

// An editor runs cases unasked, and root's rights are those of the machine.
function mayPlayOwn(
  choice: SandboxChoice,
  { environment, isRoot = process.getuid?.() === 0 }: DecisionContext,
): boolean {
  return choice === 'auto' && !isRoot && !isEditor(environment)
}

function readMachine(): Machine {
  return {
    platform: process.platform,
    osRelease: readTextFile('/etc/os-release'),
    apparmorRestricts: readTextFile('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')?.trim() === '1',
    namespacesOff:
      readTextFile('/proc/sys/kernel/unprivileged_userns_clone')?.trim() === '0' ||
      readTextFile('/proc/sys/user/max_user_namespaces')?.trim() === '0',
  }
}

const PROBES = new Map<string, Promise<FailedProbe | WorkingBackend>>()

/** What to spawn for a session under the decided backend. Makes the folders that the session needs. */
export function sandboxCommand(
  decision: SandboxDecision,
  request: SandboxRequest,
  host: Partial<Host> = {},
): SandboxedCommand {
  const { environment = process.env } = host
  const prepared = prepareSession(request)
  if (decision.backend === 'none') return unconfinedCommand(prepared, environment)
  const layout = host.layout ?? readHostLayout()
  return backends[decision.backend].command(decision.found, prepared, { ...host, environment, layout })
}

/** What to spawn for a script of the user's own, which runs in the folders of a session without a network or a gateway. */
export function scriptCommand(
  decision: SandboxDecision,
  root: string,
  ask: (inside: SandboxPaths) => Pick<SandboxRequest, 'arguments' | 'env' | 'writablePaths'>,
): SandboxedCommand {
  const none = { network: false, gatewaySocket: BASH, gatewayPort: NO_PORT, bridge: false }
  const request = { root, executable: BASH, shim: BASH, ...none }
  const parts = ask(sandboxPaths(decision, request))
  return sandboxCommand(decision, { ...request, ...parts, readOnly: [], decoyEtc: true })
}

/** The only program of such a session. It stands for the socket, too: nothing listens there. */
const BASH = '/bin/bash'
const NO_PORT = 9

/** Every backend that enforces, by name. */
export const backends: Readonly<Record<EnforcingBackend, Backend>> = { bubblewrap, 'sandbox-runtime': sandboxRuntime }

/** What to do so that the sandbox works, in one or two sentences. */
export function installHint(machine: Machine, backend: EnforcingBackend, found: boolean, remedy?: string): string {
  return `${remedy ?? backends[backend].remedy(machine, found)} ${WITHOUT_SANDBOX}`
}

/** How to run without a sandbox, in every way that there is. */
const WITHOUT_SANDBOX =
  "To run without a sandbox, with your own rights: the plugin's option `sandbox: 'none'`, the flag `--sandbox none` of `npx vitest-agent-evals run`, or the environment variable `AGENT_EVALS_SANDBOX=none`."

/** Paths as the session will see them; known before the session is built. */
export function sandboxPaths(
  { backend }: Pick<SandboxDecision, 'backend'>,
  request: PathRequest,
  platform: NodeJS.Platform = process.platform,
): SandboxPaths {
  return backend === 'none' ? hostPaths(request) : backends[backend].paths(request, platform)
}

/** Whether a session needs a port of the gateway, which other users of the machine reach, too. */
export function needsPort(
  { backend }: Pick<SandboxDecision, 'backend'>,
  request: Pick<PathRequest, 'bridge' | 'network'>,
): boolean {
  return backend === 'none' ? request.bridge : backends[backend].needsPort(request)
}

/** Where a runtime file of the engine goes, so that it is beside the executable as on the host. */
export function insideRuntimeFile(executable: string, file: string): string {
  const beside = relative(dirname(realpathSync(executable)), realpathSync(file))
  const inside = posix.join(INSIDE.engine, beside)
  if (inside.startsWith(posix.dirname(INSIDE.engine) + posix.sep)) return inside

  throw new AgentEvalsError(
    'unsafe-path',
    `${file} is too far from ${executable} for the sandbox. Use files at most one folder above the executable.`,
  )
}
