import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../lib/errors.ts'
import type { Environment } from './environment.ts'
import type { HostLayout } from './host-layout.ts'
import { runSandboxed } from './run.ts'
import type { PathRequest, SandboxPaths, SandboxRequest, SandboxedCommand } from './sandbox.ts'

/** A way to confine sessions. A new one is a folder and a line in backends.ts. */
export interface Backend<Found = unknown> {
  /** Whether the choice `auto` uses it here; the first of the list that is usual is used. */
  isUsual(platform: NodeJS.Platform): boolean
  /** Whether every session sees its folders at the same places. */
  readonly hasFixedFolders?: true
  /** What the result of a probe depends on. */
  probeKey(context: ProbeContext): string
  /** Tries it out: only that shows whether it works here. */
  probe(context: ProbeContext): Promise<FailedProbe | WorkingBackend<Found>>
  /** What to spawn for a prepared session, by what the probe found. */
  command(found: Found, request: SandboxRequest, host: Host): SandboxedCommand
  /** Whether its sessions reach the gateway by a port of the host, and not by the socket alone. */
  needsPort(request: Pick<PathRequest, 'bridge' | 'network'>): boolean
  /** Where a session sees its files. */
  paths(request: PathRequest, platform: NodeJS.Platform): SandboxPaths
  /** What to do so that it works, one or two sentences. */
  remedy(machine: Machine, found: boolean): string
}

/** A backend that works here. */
export interface WorkingBackend<Found = unknown> {
  readonly works: true
  /** What it enforces, for the report. */
  readonly enforced: string
  /** What its sessions need to know of it; plain data, since workers get it. */
  readonly found: Found
}

/** Where a backend is tried out. */
interface ProbeContext {
  readonly environment: Environment
  /** Absolute path of the user's project. */
  readonly root: string
}

/** What is known of the host. */
export interface Host {
  /** Variables of the parent, of which a session that sees the host's paths gets `PATH`. */
  readonly environment: Environment
  readonly layout: HostLayout
}

/** What is known of a machine on which a sandbox does not work. */
export interface Machine {
  readonly platform: NodeJS.Platform
  /** Text of `/etc/os-release`; `null` when there is none. */
  readonly osRelease: string | null
  /** Whether the kernel lets only programs with an AppArmor profile make user namespaces. */
  readonly apparmorRestricts: boolean
  /** Whether user namespaces are switched off altogether. */
  readonly namespacesOff: boolean
}

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

/** Of a backend that is not there. */
export function missing(reason: string): FailedProbe {
  return { works: false, found: false, reason, exhausted: false }
}

/** Runs a trial session in a folder of its own; says why it failed, `null` when it did not. */
export async function tryOut(
  program: string,
  deadlineMs: number,
  prepare: (base: string) => SandboxedCommand | Promise<SandboxedCommand>,
): Promise<Failure | null> {
  let base: string | null = null
  try {
    base = mkdtempSync(join(realpathSync(tmpdir()), 'agent-evals-probe-'))
    const result = await runSandboxed(await prepare(base), { deadlineMs })
    if (result.exitCode === 0) return null
    if (result.timedOut) return failure(`${program} did not answer within ${deadlineMs / 1000} s`)
    const reason = firstLine(result.setupError ?? result.stderrTail)
    return failure(reason || `${program} ended with exit code ${result.exitCode}`)
  } catch (error) {
    return failure(firstLine(messageOf(error)))
  } finally {
    if (base !== null) rmSync(base, { recursive: true, force: true })
  }
}

function failure(reason: string): Failure {
  return { reason, exhausted: EXHAUSTED.test(reason) }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}

// bwrap itself says ENOSPC where namespaces are forbidden: that is no lack of anything.
const EXHAUSTED =
  /^(?:EMFILE|ENFILE|ENOMEM|EAGAIN|ENOSPC|EDQUOT)\b|^spawn .+ E(?:MFILE|NFILE|NOMEM|AGAIN)$|Too many open files|Cannot allocate memory/
