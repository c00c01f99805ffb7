import { AgentEvalsError } from '../errors.ts'
import { installHint } from './install-hint.ts'
import { probeBubblewrap } from './probe.ts'
import { isCi, isContainer, readTextFile } from './surroundings.ts'
import type { Machine } from './install-hint.ts'
import type { Probe } from './probe.ts'
import type { SandboxChoice, SandboxDecision } from './sandbox.ts'
import type { Environment } from './surroundings.ts'

/** Where a decision is made. */
export interface DecisionPlace {
  /** The parent's variables: `PATH`, `CI` and the signs of a container. */
  readonly environment: Environment
  /** Remembers what came of the probe; one per process. */
  readonly probes?: Map<string, Promise<Probe>>
  /** @default isContainer */
  readonly inContainer?: boolean
}

/** Decides how sessions are confined, or throws `sandbox-unavailable`: never silently not at all. */
export async function decideSandbox(choice: SandboxChoice, place: DecisionPlace): Promise<SandboxDecision> {
  if (choice === 'none') return { backend: 'none', asked: choice, enforced: 'none', notice: null }
  if (choice === 'sandbox-runtime') throw notBuilt()

  const probe = await rememberedProbe(place)
  if (probe.works) {
    const { bubblewrap } = probe
    const enforced = bubblewrap.seccomp ? 'bubblewrap' : 'bubblewrap (no seccomp)'
    return { backend: 'bubblewrap', asked: choice, enforced, notice: null, bubblewrap }
  }

  if (probe.exhausted) throw exhausted(probe.reason)
  const excuse = excuseFor(choice, place, probe)
  if (excuse === null) throw unavailable(`The sandbox bubblewrap does not work here: ${probe.reason}.`, probe.found)

  return {
    backend: 'none',
    asked: choice,
    enforced: `none (${excuse})`,
    notice: `agent-evals: no sandbox (${excuse}): ${probe.reason}. Agents run with your rights; writable paths and network are not enforced.`,
  }
}

async function rememberedProbe({ environment, probes = PROBES }: DecisionPlace): Promise<Probe> {
  const path = environment['PATH'] ?? ''
  const known = probes.get(path)
  if (known !== undefined) return known

  const probe = probeBubblewrap(environment)
  probes.set(path, probe)
  // What was lacking may be there again.
  const result = await probe
  if (!result.works && result.exhausted) probes.delete(path)
  return result
}

// Why a session may run unconfined although a sandbox was wanted; `null` when it may not.
function excuseFor(choice: SandboxChoice, place: DecisionPlace, probe: Probe & { works: false }): string | null {
  if (choice === 'bubblewrap') return null
  if (place.inContainer ?? isContainer(place.environment)) return 'container'
  if (isCi(place.environment)) return 'CI'
  if (choice !== 'prefer') return null

  return probe.found ? 'bubblewrap does not work' : probe.reason
}

function exhausted(reason: string): AgentEvalsError {
  return new AgentEvalsError(
    'sandbox-unavailable',
    `The sandbox bubblewrap could not be tried, since the machine ran out of something: ${reason}. Free it, or raise its limit (\`ulimit -n\` for open files), and run again.`,
  )
}

function notBuilt(): AgentEvalsError {
  const instead = process.platform === 'linux' ? '`--sandbox bubblewrap`' : '`--sandbox none`'
  return new AgentEvalsError('sandbox-unavailable', `The sandbox sandbox-runtime is not built yet. Use ${instead}.`)
}

function unavailable(what: string, found: boolean): AgentEvalsError {
  return new AgentEvalsError('sandbox-unavailable', `${what} ${installHint(readMachine(), found)}`)
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

const PROBES = new Map<string, Promise<Probe>>()
