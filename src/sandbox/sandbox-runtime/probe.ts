import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readHostLayout } from '../host-layout.ts'
import { prepareSession } from '../prepare-session.ts'
import { describeFailure, describeResult, missing } from '../probe-failure.ts'
import { runSandboxed } from '../run.ts'
import { findSandboxRuntime, type RuntimePlace, type SandboxRuntime } from './find.ts'
import { sandboxRuntimeCommand } from './command.ts'
import { runtimePaths } from './runtime-paths.ts'
import type { Failure, FailedProbe } from '../probe-failure.ts'
import type { WorkingBackend } from '../backend.ts'

/** Runs a program under the very configuration that a session gets, and lets it try what must not be possible. */
export async function probeSandboxRuntime(
  place: RuntimePlace,
  isRoot: boolean = process.getuid?.() === 0,
): Promise<FailedProbe | WorkingBackend<SandboxRuntime>> {
  if (!['linux', 'darwin'].includes(process.platform)) return missing('sandbox-runtime is for macOS and Linux here')
  const runtime = findSandboxRuntime(place)
  if (runtime === null) return missing('sandbox-runtime not found')
  if (isRoot) return { works: false, found: true, ...UNSAFE_AS_ROOT }

  const failed = await tryOnce(runtime, place)
  if (failed !== null) return { works: false, found: true, ...failed }
  return { works: true, enforced: 'sandbox-runtime', found: runtime }
}

async function tryOnce(sandboxRuntime: SandboxRuntime, { environment }: RuntimePlace): Promise<Failure | null> {
  let base: string | null = null
  const servers = [1, 2].map(() => createServer((socket) => socket.on('error', () => socket.destroy()).end('hello')))
  try {
    base = mkdtempSync(join(realpathSync(tmpdir()), 'agent-evals-probe-'))
    const root = join(base, 'run')
    mkdirSync(root)
    writeFileSync(join(base, 'secret'), 'a secret')
    const [gatewayPort = 0, otherPort = 0] = await Promise.all(servers.map(listen))
    const place = { root, executable: process.execPath, network: false, gatewaySocket: '', gatewayPort, bridge: true }
    const { gatewayUrl } = runtimePaths({ ...place, shim: '' }, process.platform)
    const command = sandboxRuntimeCommand(
      sandboxRuntime,
      prepareSession({
        ...place,
        arguments: ['-e', ATTEMPTS, join(base, 'secret'), new URL(gatewayUrl).port, String(otherPort)],
        env: {},
        readOnly: [],
        writablePaths: ['output'],
        decoyEtc: true,
      }),
      { environment, layout: readHostLayout() },
    )
    const result = await runSandboxed(command, { deadlineMs: PROBE_MS })
    return describeResult(result, 'sandbox-runtime', PROBE_MS)
  } catch (error) {
    return describeFailure(error)
  } finally {
    for (const server of servers) server.close()
    if (base !== null) rmSync(base, { recursive: true, force: true })
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
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
