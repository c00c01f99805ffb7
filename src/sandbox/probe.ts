import { accessSync, constants, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { sandboxCommand } from './command.ts'
import { runSandboxed } from './run.ts'
import type { Bubblewrap } from './sandbox.ts'
import type { Environment } from './surroundings.ts'

/** What came of trying bubblewrap. */
export type Probe =
  | { readonly works: true; readonly bubblewrap: Bubblewrap }
  | { readonly works: false; readonly found: boolean; readonly reason: string }

/** Runs a trivial program under exactly the options that a session gets: only that tells whether they work here. */
export async function probeBubblewrap(environment: Environment): Promise<Probe> {
  if (process.platform !== 'linux') return { works: false, found: false, reason: 'bubblewrap is for Linux' }

  const program = findBubblewrap(environment)
  if (program === null) return { works: false, found: false, reason: 'bubblewrap not found' }

  const hasPrlimit = existsSync('/usr/bin/prlimit')
  const reasons: string[] = []
  for (const variant of VARIANTS) {
    if (variant.limits && !hasPrlimit) continue

    const bubblewrap = { program, ...variant }
    const reason = await tryOnce(bubblewrap)
    if (reason === null) return { works: true, bubblewrap }
    reasons.push(reason)
  }

  // The plainest variant failed for what really is in the way, not for an option that is missing.
  return { works: false, found: true, reason: reasons.at(-1) ?? 'bubblewrap did not start' }
}

// A `bwrap` that a package brings, in node_modules or a relative folder, would be no sandbox at all.
function findBubblewrap(environment: Environment): string | null {
  const folders = (environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin').split(':')
  const trusted = folders.filter((folder) => isAbsolute(folder) && !folder.includes('node_modules'))
  return trusted.map((folder) => join(folder, 'bwrap')).find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function tryOnce(bubblewrap: Bubblewrap): Promise<string | null> {
  const root = mkdtempSync(join(tmpdir(), 'agent-evals-probe-'))
  try {
    writeFileSync(join(root, 'socket'), '')
    const command = sandboxCommand(
      { backend: 'bubblewrap', asked: 'auto', enforced: 'bubblewrap', notice: null, bubblewrap },
      {
        executable: '/usr/bin/true',
        arguments: [],
        env: {},
        root,
        readOnly: [],
        writablePaths: ['output'],
        network: false,
        gatewaySocket: join(root, 'socket'),
        gatewayPort: 0,
        bridge: false,
        decoyEtc: true,
      },
    )
    const result = await runSandboxed(command, { deadlineMs: PROBE_MS })
    if (result.exitCode === 0) return null
    if (result.timedOut) return `bwrap did not answer within ${PROBE_MS / 1000} s`

    return firstLine(result.setupError ?? result.stderrTail) || `bwrap ended with exit code ${result.exitCode}`
  } catch (error) {
    return firstLine(error instanceof Error ? error.message : String(error))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}

const PROBE_MS = 10_000

const VARIANTS = [
  { limits: true, disableUserns: true },
  { limits: false, disableUserns: true },
  { limits: true, disableUserns: false },
  { limits: false, disableUserns: false },
]
