import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { bubblewrapArguments, insideCommand, MAX_PROCESSES } from './bubblewrap.ts'
import { insideEnvironment } from './environment.ts'
import { writeEtc } from './etc.ts'
import { readHostLayout } from './host-layout.ts'
import { unconfinedCommand } from './none.ts'
import { createProcessLimit, enterProcessLimit } from './process-limit.ts'
import { sandboxRuntimeCommand } from './sandbox-runtime/command.ts'
import { seccompFilter } from './seccomp.ts'
import { makeWritablePaths } from './writable-paths.ts'
import type { HostLayout } from './host-layout.ts'
import type { Bubblewrap, SandboxDecision, SandboxedCommand, SandboxRequest } from './sandbox.ts'
import type { Environment } from './detect-environment.ts'

/** What is known of the host; by default it is looked at. */
export interface Host {
  /** Variables of the parent, of which a session that sees the host's paths gets `PATH`. */
  readonly environment?: Environment
  readonly layout?: HostLayout
  /** Whether the session is started by root. */
  readonly isRoot?: boolean
}

/** What to spawn for a session under the decided backend. Makes the folders that the session needs. */
export function sandboxCommand(decision: SandboxDecision, request: SandboxRequest, host: Host = {}): SandboxedCommand {
  for (const name of FOLDERS) mkdirSync(join(request.root, name), { recursive: true })
  const environment = host.environment ?? process.env
  if (decision.backend === 'none') return unconfinedCommand(request, environment)
  const narrowed = withWritablePaths(request)
  if (decision.bubblewrap !== undefined) return bubblewrapCommand(decision.bubblewrap, narrowed, host)
  if (decision.sandboxRuntime !== undefined)
    return sandboxRuntimeCommand(decision.sandboxRuntime, narrowed, {
      environment,
      layout: host.layout ?? readHostLayout(),
    })

  throw new AgentEvalsError(
    'sandbox-unavailable',
    `The sandbox ${decision.backend} was decided without a working program. Decide it with decideSandbox.`,
  )
}

function withWritablePaths(request: SandboxRequest): SandboxRequest {
  const { root, writablePaths } = request
  if (writablePaths === null) return request
  return { ...request, writablePaths: makeWritablePaths(join(root, 'workspace'), writablePaths) }
}

// All options go through a file: `ps` shows a command line to every user, and an environment passed to bwrap itself
// would let a case's LD_PRELOAD run outside.
function bubblewrapCommand(bubblewrap: Bubblewrap, request: SandboxRequest, host: Host): SandboxedCommand {
  const layout = host.layout ?? readHostLayout()
  const { root } = request
  writeEtc(root)
  const resolved = {
    ...request,
    realExecutable: realpathSync(request.executable),
    env: { ...insideEnvironment(), ...request.env },
  }
  const argumentsFile = join(root, 'bubblewrap-arguments')
  writeFileSync(argumentsFile, separate(bubblewrapArguments(resolved, layout, bubblewrap)), { mode: 0o600 })
  const filterFile = bubblewrap.seccomp ? writeFilter(root) : null
  const descriptors = [argumentsFile, ...(filterFile === null ? [] : [filterFile])]
  const options = [
    '--args',
    '3',
    ...(filterFile === null ? [] : ['--seccomp', '4']),
    '--json-status-fd',
    String(3 + descriptors.length),
  ]
  const processLimit = bubblewrap.limits ? createProcessLimit(MAX_PROCESSES, host.isRoot) : null
  const { file, before } =
    processLimit === null
      ? { file: bubblewrap.program, before: [] }
      : enterProcessLimit(processLimit, bubblewrap.program)
  return {
    file,
    arguments: [...before, ...options, '--', ...insideCommand(resolved, layout, bubblewrap)],
    env: {},
    cwd: root,
    descriptors,
    status: true,
    tag: null,
    processLimit,
    graceMs: 0,
  }
}

function writeFilter(root: string): string | null {
  const filter = seccompFilter()
  if (filter === null) return null

  const file = join(root, 'seccomp.bpf')
  writeFileSync(file, filter, { mode: 0o600 })
  return file
}

// A null byte in a value would be read as the start of another option, such as one more mount.
function separate(values: readonly string[]): string {
  const wrong = values.find((value) => value.includes('\0'))
  if (wrong === undefined) return values.map((value) => `${value}\0`).join('')

  throw new AgentEvalsError(
    'invalid-suite',
    `A path or a variable of \`env\` holds a null byte: ${JSON.stringify(wrong)}. Remove it.`,
  )
}

const FOLDERS = ['workspace', 'home', 'config', 'tmp', 'hooks', 'package']
