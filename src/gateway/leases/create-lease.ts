import { createDecided, type Decided } from './decided.ts'
import { createThreadKeys } from '../../conversation/thread.ts'
import { killTagged, killTreeOnExit, signalGroup } from '../../process/kill-tree.ts'
import { RUN_TAG } from './run-tag.ts'
import type { AllowedModels } from './allowed-models.ts'
import type { DecidingUse } from '../../transcript/deciding-use.ts'
import type { EngineTraffic } from '../../conversation/traffic.ts'
import type { FirstTurn, HandOver } from '../first-turn/first-turn.ts'
import type { Follow } from '../first-turn/leaders.ts'
import type { Lead } from '../first-turn/leader.ts'
import type { LeaseGrant } from './lease.ts'
import type { Load } from './load.ts'
import type { Meter } from '../budget/meter.ts'
import type { Place } from './lease-place.ts'
import type { RequestAccess } from '../wires/request-rules.ts'
import type { Source } from '../sources/source.ts'
import type { Spending } from '../budget/budget.ts'
import type { Thread } from '../../conversation/model.ts'
import type { Wire } from '../wires/wire.ts'

/** What a lease is made of. */
export interface LeaseParts {
  /** What the worker calls the run. */
  readonly label: string
  /** When it was granted, by a clock that does not jump. */
  readonly grantedAt: number
  readonly grant: LeaseGrant
  readonly wire: Wire
  /** How engines mark their requests. */
  readonly traffic: readonly EngineTraffic[]
  /** Names of the request headers that go on to the API. */
  readonly headers: ReadonlySet<string>
  readonly source: Source
  readonly meter: Meter
  readonly spending: Spending
  readonly models: AllowedModels
  readonly access: RequestAccess
  readonly load: Load
  /** Follows its first request; `null` where nothing asks for it. */
  readonly firstTurn: FirstTurn | null
  /** Lets a request wait until another one has filled the prompt cache that both read. */
  readonly follow: Follow
}

/** One run that may use the gateway. */
export interface Lease extends LeaseParts {
  /** Notes the tool that its model has called last. */
  noteTool(name: string): void
  lastTool(): string | null
  readonly keyOf: (thread: Thread) => string
  /** Keeps it from asking on once it is decided. */
  readonly decided: Decided
  /** Lets a session follow a probe: `take` reads what it gets as soon as there is a place for it. */
  readonly handOver: (take: () => Promise<HandOver | undefined>) => Promise<HandOver | undefined>
  /** Aborts when the lease is over. */
  readonly signal: AbortSignal
  /** Aborts when its answers are broken off by us: what they would have cost after that is given back. */
  readonly ended: AbortSignal
  /** Breaks its answers off, before its program is killed. */
  endAnswers(): void
  /** Notes the leader of the engine's process group; `null` once it has exited. */
  setProcess(pid: number | null): void
  /** Kills what is left of the run, then lets the next one in. */
  close(): Promise<void>
}

/** What a lease holds while it is open. */
interface LeaseHolds {
  readonly endsWith: DecidingUse | undefined
  readonly place: Place
  readonly lead: Lead
  readonly onClosed: () => void
}

/** Opens a lease. */
export function createLease(parts: LeaseParts, { endsWith, place, lead, onClosed }: LeaseHolds): Lease {
  const over = new AbortController()
  const ended = new AbortController()
  let tool: string | null = null
  let pid: number | null = null
  let callOff: (() => void) | null = null
  let closed: Promise<void> | null = null
  const tag = `${RUN_TAG}=${parts.grant.id}`
  // A probe that no session follows has no process: searching all of the machine for one takes longer than the probe.
  let mayHaveProcess = parts.firstTurn?.mode !== 'probe'
  const close = async (): Promise<void> => {
    over.abort()
    if (pid !== null) signalGroup(pid, 'SIGKILL')
    callOff?.()
    if (mayHaveProcess) await killTagged(tag)
    onClosed()
  }
  return {
    ...parts,
    noteTool: (name) => {
      tool = name
    },
    lastTool: () => tool,
    keyOf: createThreadKeys(),
    decided: createDecided(endsWith, parts.traffic, over.signal),
    async handOver(take) {
      mayHaveProcess = true
      lead.over()
      await place.enter(over.signal)
      const given = await take()
      if (given !== undefined) parts.firstTurn?.handOver(given)
      return given
    },
    signal: over.signal,
    ended: ended.signal,
    endAnswers: () => ended.abort(),
    setProcess(next) {
      callOff?.()
      pid = next
      callOff = next === null ? null : killTreeOnExit(next, tag)
      // Reported by a worker that was cancelled in the meantime.
      if (next !== null && over.signal.aborted) signalGroup(next, 'SIGKILL')
    },
    close: () => (closed ??= close()),
  }
}
