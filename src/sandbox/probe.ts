import { accessSync, constants, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sandboxCommand } from './command.ts'
import { trustedFolders } from './environment.ts'
import { runSandboxed } from './run.ts'
import { seccompFilter } from './seccomp.ts'
import type { SessionResult } from './run.ts'
import type { Bubblewrap } from './sandbox.ts'
import type { Environment } from './detect-environment.ts'

/** What came of trying bubblewrap. */
export type Probe = { readonly works: true; readonly bubblewrap: Bubblewrap } | FailedProbe

/** A backend that does not work here. */
export interface FailedProbe extends Failure {
  readonly works: false
  readonly found: boolean
  /** What to do about it, one sentence, where that is known. */
  readonly remedy?: string
}

/** Why a backend does not work here. */
export interface Failure {
  readonly reason: string
  /** Whether the machine had run out of something, so that nothing is known of the sandbox. */
  readonly exhausted: boolean
}

/** Runs a trivial program under exactly the options that a session gets: only that tells whether they work here. */
export async function probeBubblewrap(environment: Environment): Promise<Probe> {
  if (process.platform !== 'linux') return missing('bubblewrap is for Linux')

  const program = findBubblewrap(environment)
  if (program === null) return missing('bubblewrap not found')

  // Where the whole of it fails, the plainest tells whether anything works, and what is really in the way.
  const whole = { program, seccomp: seccompFilter() !== null, disableUserns: true, limits: existsSync(PRLIMIT) }
  const plainest = { program, seccomp: false, disableUserns: false, limits: false }
  const failed = await tryOnce(whole)
  if (failed === null) return { works: true, bubblewrap: whole }
  const refused = failed.exhausted ? failed : await tryOnce(plainest)
  if (refused !== null) return { works: false, found: true, ...refused }

  // The filter closes what `--disable-userns` does, so it is the last to be given up.
  for (const less of [{ disableUserns: false }, { limits: false }, { disableUserns: false, limits: false }]) {
    const bubblewrap = { ...whole, ...less }
    if ((await tryOnce(bubblewrap)) === null) return { works: true, bubblewrap }
  }

  return { works: true, bubblewrap: plainest }
}

/** Of a backend that is not there. */
export function missing(reason: string): FailedProbe {
  return { works: false, found: false, reason, exhausted: false }
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
    return describeResult(await runSandboxed(command, { deadlineMs: PROBE_MS }), 'bwrap', PROBE_MS)
  } catch (error) {
    return describeFailure(error)
  } finally {
    if (root !== null) rmSync(root, { recursive: true, force: true })
  }
}

/** Why a trial has failed; `null` when it has not. */
export function describeResult(result: SessionResult, program: string, deadlineMs: number): Failure | null {
  if (result.exitCode === 0) return null
  if (result.timedOut) return failure(`${program} did not answer within ${deadlineMs / 1000} s`)

  const reason = firstLine(result.setupError ?? result.stderrTail)
  return failure(reason || `${program} ended with exit code ${result.exitCode}`)
}

/** Why a trial could not be made. */
export function describeFailure(error: unknown): Failure {
  return failure(firstLine(error instanceof Error ? error.message : String(error)))
}

function failure(reason: string): Failure {
  return { reason, exhausted: EXHAUSTED.test(reason) }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}

const PRLIMIT = '/usr/bin/prlimit'
const PROBE_MS = 10_000
// bwrap itself says ENOSPC where namespaces are forbidden: that is no lack of anything.
const EXHAUSTED =
  /^(?:EMFILE|ENFILE|ENOMEM|EAGAIN|ENOSPC|EDQUOT)\b|^spawn .+ E(?:MFILE|NFILE|NOMEM|AGAIN)$|Too many open files|Cannot allocate memory/
