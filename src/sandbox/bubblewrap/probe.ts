import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bubblewrapCommand } from './command.ts'
import { trustedFolders } from '../environment.ts'
import { readHostLayout } from '../host-layout.ts'
import { prepareSession } from '../prepare-session.ts'
import { describeFailure, describeResult, missing, type FailedProbe, type Failure } from '../probe-failure.ts'
import { hasPrlimit } from '../resource-limits.ts'
import { runSandboxed } from '../run.ts'
import { seccompFilter } from './seccomp.ts'
import type { WorkingBackend } from '../backend.ts'
import type { Environment } from '../detect-environment.ts'

/** A bubblewrap that works on this machine. */
export interface Bubblewrap {
  /** Absolute path of `bwrap`. */
  readonly program: string
  /** Whether it can forbid further user namespaces (from 0.8.0 on). */
  readonly disableUserns: boolean
  /** Whether `prlimit` can bound processes and file sizes inside. */
  readonly limits: boolean
  /** Whether system calls can be filtered. */
  readonly seccomp: boolean
}

/** Runs a trivial program under exactly the options that a session gets: only that tells whether they work here. */
export async function probeBubblewrap(environment: Environment): Promise<FailedProbe | WorkingBackend<Bubblewrap>> {
  if (process.platform !== 'linux') return missing('bubblewrap is for Linux')

  const program = findBubblewrap(environment)
  if (program === null) return missing('bubblewrap not found')

  // Where the whole of it fails, the plainest tells whether anything works, and what is really in the way.
  const whole = { program, seccomp: seccompFilter() !== null, disableUserns: true, limits: hasPrlimit() }
  const plainest = { program, seccomp: false, disableUserns: false, limits: false }
  const failed = await tryOnce(whole)
  if (failed === null) return working(whole)
  const refused = failed.exhausted ? failed : await tryOnce(plainest)
  if (refused !== null) return { works: false, found: true, ...refused }

  // The filter closes what `--disable-userns` does, so it is the last to be given up.
  for (const less of [{ disableUserns: false }, { limits: false }, { disableUserns: false, limits: false }]) {
    const bubblewrap = { ...whole, ...less }
    if ((await tryOnce(bubblewrap)) === null) return working(bubblewrap)
  }

  return working(plainest)
}

function working(found: Bubblewrap): WorkingBackend<Bubblewrap> {
  return { works: true, enforced: found.seccomp ? 'bubblewrap' : 'bubblewrap (no seccomp)', found }
}

// A `bwrap` that a package brings, in node_modules or a relative folder, would be no sandbox at all.
function findBubblewrap(environment: Environment): string | null {
  return (
    trustedFolders(environment)
      .map((folder) => join(folder, 'bwrap'))
      .find(isExecutable) ?? null
  )
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function tryOnce(bubblewrap: Bubblewrap): Promise<Failure | null> {
  let root: string | null = null
  try {
    root = mkdtempSync(join(tmpdir(), 'agent-evals-probe-'))
    writeFileSync(join(root, 'socket'), '')
    const command = bubblewrapCommand(
      bubblewrap,
      prepareSession({
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
      }),
      { environment: {}, layout: readHostLayout() },
    )
    return describeResult(await runSandboxed(command, { deadlineMs: PROBE_MS }), 'bwrap', PROBE_MS)
  } catch (error) {
    return describeFailure(error)
  } finally {
    if (root !== null) rmSync(root, { recursive: true, force: true })
  }
}

const PROBE_MS = 10_000
