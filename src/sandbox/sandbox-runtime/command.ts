import { existsSync, lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type Server } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AgentEvalsError } from '../../lib/errors.ts'
import { tryReadJson } from '../../lib/files.ts'
import { isJsonObject } from '../../lib/json.ts'
import { ownProgram } from '../../own-folder.ts'
import {
  missing,
  tryOut,
  type Backend,
  type FailedProbe,
  type Failure,
  type Machine,
  type WorkingBackend,
} from '../backend.ts'
import type { PathRequest } from '../sandbox.ts'
import { PRLIMIT, hasPrlimit, hostEnvironment, runTag, trustedFolders, type Environment } from '../environment.ts'
import { hostPaths, readHostLayout, type HostLayout } from '../host-layout.ts'
import { prepareSession } from '../prepare-session.ts'
import { STARTED } from '../run.ts'
import type { SandboxPaths, SandboxRequest, SandboxedCommand } from '../sandbox.ts'
import { sandboxRuntimeConfig, type RuntimeConfig, type RuntimeRequest } from './config.ts'

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
  mkdirSync(folder, { recursive: true })
  const run = runTag(request)
  const places = { home: join(root, 'home'), tmp: join(root, 'tmp'), node: process.execPath }
  const script = join(root, 'start.sh')
  const resolved = {
    ...request,
    realExecutable: realpathSync(request.executable),
    env: { ...hostEnvironment(places, environment), ...request.env, [run.name]: run.value },
    ownPaths: [runtime.folder, folder, script],
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
    graceMs: 0,
  }
}

// Such as systemd's resolv.conf: a link whose target is shown, but that cannot be shown itself.
function etcLinks(): readonly Link[] {
  return LINKED.flatMap((at) => {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true || !existsSync(at)) return []
    return [{ at, to: realpathSync(at) }]
  })
}

const LINKED = ['/etc/resolv.conf']

/**
 * Shell script that a session begins with: what the engine is started by, so that neither its environment nor its
 * arguments decide anything outside.
 */
export function startScript(request: RuntimeRequest, links: readonly Link[]): string {
  const limits = process.platform === 'linux' && hasPrlimit() ? PRLIMIT : []
  const command = [...limits, request.realExecutable, ...request.arguments]
  return [
    `cd ${quote(join(request.root, 'workspace'))} || exit 97`,
    'unset OLDPWD',
    ...links.map(({ at, to }) => `[ -e ${quote(at)} ] || ln -s ${quote(to)} ${quote(at)}`),
    `echo ${quote(STARTED)} >&3`,
    'exec 3>&-',
    ...Object.entries(request.env).map(([name, value]) => `export ${name}=${quote(value)}`),
    `exec ${command.map(quote).join(' ')}`,
    '',
  ].join('\n')
}

/** A link to make in the throw-away `/etc`. */
interface Link {
  readonly at: string
  readonly to: string
}

/** One word of a shell command. */
function quote(value: string): string {
  if (!value.includes('\0')) return `'${value.replaceAll("'", String.raw`'\''`)}'`

  throw new AgentEvalsError(
    'invalid-suite',
    `A path, an argument or a variable of \`env\` contains a null byte: ${JSON.stringify(value)}. Remove it.`,
  )
}

/** A sandbox-runtime that works on this machine. */
interface SandboxRuntime {
  /** Absolute path of its package, without links. */
  readonly folder: string
  /** Absolute path of the module that the launcher loads. */
  readonly module: string
}

/** Where sandbox-runtime is looked for. */
interface SearchContext {
  readonly environment: Environment
  /** Absolute path of the user's project. */
  readonly root: string
}

/** Finds the optional package as engines are found: `AGENT_EVALS_ENGINES`, the project, then beside this one. */
export function findSandboxRuntime({ environment, root }: SearchContext): SandboxRuntime | null {
  const engines = environment['AGENT_EVALS_ENGINES'] ?? ''
  const places = [...(engines === '' ? [] : [resolve(root, engines)]), root, dirname(fileURLToPath(import.meta.url))]
  const found = places
    .flatMap((place) => createRequire(join(place, 'package.json')).resolve.paths(SANDBOX_RUNTIME) ?? [])
    .map((folder) => join(folder, SANDBOX_RUNTIME))
    .find((folder) => existsSync(join(folder, 'package.json')))
  if (found === undefined) return null

  // Its programs are started by the paths that it sees itself at, which a package manager may reach by links.
  const folder = realpathSync(found)
  return { folder, module: join(folder, readMain(folder)) }
}

/** Name of the optional package. */
const SANDBOX_RUNTIME = '@anthropic-ai/sandbox-runtime'

function readMain(folder: string): string {
  // Loading it reports what is wrong with it.
  const manifest = tryReadJson(join(folder, 'package.json'))
  return isJsonObject(manifest) && typeof manifest['main'] === 'string' ? manifest['main'] : 'dist/index.js'
}

/** Files keep their places. On Linux the network is the session's own, with the gateway where a proxy would be. */
function runtimePaths(request: PathRequest, platform: NodeJS.Platform): SandboxPaths {
  const port = platform === 'darwin' || request.network ? request.gatewayPort : RUNTIME_PROXY_PORT
  return {
    ...hostPaths(request),
    executable: realpathSync(request.executable),
    gatewaySocket: null,
    gatewayUrl: `http://127.0.0.1:${port}`,
  }
}

/** Where sandbox-runtime shows its HTTP proxy inside, on Linux. */
const RUNTIME_PROXY_PORT = 3128

/** The sandbox of macOS, from an optional package. */
export const sandboxRuntime: Backend<SandboxRuntime> = {
  isUsual: (platform) => platform === 'darwin',
  probeKey: ({ environment, root }) => [environment['PATH'], root, environment['AGENT_EVALS_ENGINES']].join('\0'),
  probe: (place) => probeSandboxRuntime(place),
  command: sandboxRuntimeCommand,
  // The gateway stands in the place of its proxies, which have ports.
  needsPort: () => true,
  paths: runtimePaths,
  remedy: runtimeRemedy,
}

function runtimeRemedy({ platform }: Machine, found: boolean): string {
  if (platform === 'win32') return 'On Windows, run this in WSL2 and install bubblewrap there.'
  const install = `\`npm install --save-dev ${SANDBOX_RUNTIME}\``
  const remedy = found ? `Fix that, or update it: ${install}.` : `Install it: ${install}.`
  return platform === 'linux' ? `${remedy} Or use \`--sandbox bubblewrap\`, which is stricter.` : remedy
}

/** Runs a program under the very configuration that a session gets, and lets it try what must not be possible. */
export async function probeSandboxRuntime(
  context: SearchContext,
  isRoot: boolean = process.getuid?.() === 0,
): Promise<FailedProbe | WorkingBackend<SandboxRuntime>> {
  if (!['linux', 'darwin'].includes(process.platform)) return missing('sandbox-runtime is for macOS and Linux here')
  const runtime = findSandboxRuntime(context)
  if (runtime === null) return missing('sandbox-runtime not found')
  if (isRoot) return { works: false, found: true, ...UNSAFE_AS_ROOT }

  const failed = await tryOnce(runtime, context)
  if (failed !== null) return { works: false, found: true, ...failed }
  return { works: true, enforced: 'sandbox-runtime', found: runtime }
}

async function tryOnce(runtime: SandboxRuntime, { environment }: SearchContext): Promise<Failure | null> {
  const servers = [1, 2].map(() => createServer((socket) => socket.on('error', () => socket.destroy()).end('hello')))
  try {
    return await tryOut('sandbox-runtime', PROBE_MS, async (base) => {
      const root = join(base, 'run')
      mkdirSync(root)
      writeFileSync(join(base, 'secret'), 'a secret')
      const [gatewayPort = 0, otherPort = 0] = await Promise.all(servers.map(listen))
      const place = { root, executable: process.execPath, network: false, gatewaySocket: '', gatewayPort, bridge: true }
      const { gatewayUrl } = runtimePaths({ ...place, shim: '' }, process.platform)
      const request = prepareSession({
        ...place,
        arguments: ['-e', ATTEMPTS, join(base, 'secret'), new URL(gatewayUrl).port, String(otherPort)],
        env: {},
        readOnly: [],
        writablePaths: ['output'],
        decoyEtc: true,
      })
      return sandboxRuntimeCommand(runtime, request, { environment, layout: readHostLayout() })
    })
  } finally {
    for (const server of servers) server.close()
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening, reject) => server.once('error', reject).listen(0, '127.0.0.1', listening))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

// A version that reads its configuration in another way would let all of this happen without a word.
const ATTEMPTS = `
const { readFileSync, writeFileSync } = require('node:fs')
const { connect } = require('node:net')
const [secret, gateway, other] = process.argv.slice(1)
const reaches = (port) => new Promise((resolve) => {
  connect(Number(port), '127.0.0.1').on('data', () => resolve(true)).on('close', () => resolve(false)).on('error', () => {})
})
const fails = (attempt) => { try { attempt(); return false } catch { return true } }
const problems = []
if (fails(() => writeFileSync('output/x', ''))) problems.push('a writable path cannot be written')
if (!fails(() => writeFileSync('x', ''))) problems.push('the workspace can be written')
if (!fails(() => readFileSync(secret))) problems.push('files of the host can be read')
Promise.all([reaches(gateway), reaches(other)]).then(([gatewayAnswers, otherAnswers]) => {
  if (!gatewayAnswers) problems.push('the gateway cannot be reached')
  if (otherAnswers) problems.push('another port of the host can be reached')
  console.error(problems.join(', '))
  process.exit(problems.length === 0 ? 0 : 1)
})
`
const UNSAFE_AS_ROOT = {
  reason: 'as root it leaves files below /proc/sys writable, by which a session could take over the machine',
  remedy: 'Run as another user, or use `--sandbox bubblewrap`, which is safe for root.',
  exhausted: false,
}
const PROBE_MS = 20_000
