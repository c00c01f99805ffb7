import { existsSync, lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownProgram } from '../../own-folder.ts'
import { AgentEvalsError } from '../../errors.ts'
import { hostEnvironment, trustedFolders } from '../environment.ts'
import { runTag } from '../none.ts'
import { sandboxRuntimeConfig, type RuntimeConfig } from './config.ts'
import { quote, startScript, type Link } from './start-script.ts'
import type { HostLayout } from '../host-layout.ts'
import type { SandboxedCommand, SandboxRequest } from '../sandbox.ts'
import type { SandboxRuntime } from './find.ts'
import type { Environment } from '../detect-environment.ts'

/** What the launcher reads: one session, as JSON. */
export interface LaunchedSession {
  /** Process without which the session must not live on. */
  readonly parent: number
  /** Absolute path of sandbox-runtime's module. */
  readonly module: string
  readonly config: RuntimeConfig
  /** Shell command to run inside. */
  readonly command: string
}

/**
 * The launcher, which has sandbox-runtime to itself: that holds one configuration a process, hands its own environment
 * on, and protects files in its working folder.
 */
export function sandboxRuntimeCommand(
  runtime: SandboxRuntime,
  request: SandboxRequest,
  { environment, layout }: { readonly environment: Environment; readonly layout: HostLayout },
): SandboxedCommand {
  const { root, network } = request
  const folder = join(root, 'launch')
  if (process.platform === 'linux') checkFolder(folder)
  mkdirSync(folder, { recursive: true })
  const run = runTag(request)
  const places = { home: join(root, 'home'), tmp: join(root, 'tmp'), node: process.execPath }
  const script = join(root, 'start.sh')
  const resolved = {
    ...request,
    realExecutable: realpathSync(request.executable),
    env: { ...hostEnvironment(places, environment), ...request.env, [run.name]: run.value },
    own: [runtime.folder, folder, script],
  }
  writeFileSync(script, startScript(resolved, network ? etcLinks() : []), { mode: 0o600 })
  const session: LaunchedSession = {
    parent: process.pid,
    module: runtime.module,
    config: sandboxRuntimeConfig(resolved, layout, process.platform),
    command: `exec /usr/bin/env -i /bin/sh ${quote(script)}`,
  }
  const sessionFile = join(root, 'launch.json')
  writeFileSync(sessionFile, JSON.stringify(session), { mode: 0o600 })
  return {
    file: process.execPath,
    arguments: [ownProgram('sandbox/sandbox-runtime/launcher.js'), sessionFile],
    // The launcher is not confined, so nothing of the case's environment may reach it.
    env: { PATH: trustedFolders(environment).join(':'), HOME: folder, TMPDIR: folder, [run.name]: run.value },
    cwd: folder,
    descriptors: [],
    status: true,
    tag: `${run.name}=${run.value}`,
    controlGroup: null,
    root,
    sizedFolders: [],
    graceMs: 0,
  }
}

// It makes its sockets there, and names them to a shell and to socat as they are.
function checkFolder(folder: string): void {
  if (PLAIN.test(folder) && folder.length <= LONGEST_FOLDER) return

  throw new AgentEvalsError(
    'sandbox-unavailable',
    `sandbox-runtime cannot work in ${folder}: the path is longer than ${LONGEST_FOLDER} characters, or has characters other than letters, digits and . _ - /. Set TMPDIR to another folder.`,
  )
}

const PLAIN = /^[\w./-]+$/
/** What a socket's path may have, less the longest name. */
const LONGEST_FOLDER = 107 - '/claude-socks-0123456789abcdef.sock'.length

// Such as systemd's resolv.conf: a link whose target is shown, but that cannot be shown itself.
function etcLinks(): readonly Link[] {
  return LINKED.flatMap((at) => {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true || !existsSync(at)) return []
    return [{ at, to: realpathSync(at) }]
  })
}

const LINKED = ['/etc/resolv.conf']
