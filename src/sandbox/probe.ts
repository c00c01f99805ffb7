import { accessSync, constants, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bubblewrapCommand } from './bubblewrap/command.ts'
import { trustedFolders } from './environment.ts'
import { readHostLayout } from './host-layout.ts'
import { prepareSession } from './prepare-session.ts'
import { describeFailure, describeResult, missing, type FailedProbe, type Failure } from './probe-failure.ts'
import { runSandboxed } from './run.ts'
import { seccompFilter } from './seccomp.ts'
import type { Bubblewrap } from './sandbox.ts'
import type { Environment } from './detect-environment.ts'

/** What came of trying bubblewrap. */
export type Probe = { readonly works: true; readonly bubblewrap: Bubblewrap } | FailedProbe

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

const PRLIMIT = '/usr/bin/prlimit'
const PROBE_MS = 10_000
