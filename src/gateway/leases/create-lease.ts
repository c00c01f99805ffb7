import {
  createThreadKeys,
  nameThread,
  type EngineTraffic,
  type ModelRequest,
  type Thread,
} from '../../recordings/messages.ts'
import { killTagged, killTreeOnExit, signalGroup } from '../../sandbox/process/process-tree.ts'
import type { Spending } from '../budget/budget.ts'
import type { Meter } from '../budget/meter.ts'
import type { FirstTurn } from '../first-turn/first-turn.ts'
import type { Follow, Lead } from '../first-turn/leaders.ts'
import type { Limit } from '../pace.ts'
import type { Source } from '../sources/source.ts'
import type { Wire } from '../wires/wire.ts'
import type { LeaseGrant } from './lease.ts'
import { createLookout, type Lookout } from './lookout.ts'

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
  readonly source: Source
  readonly meter: Meter
  readonly spending: Spending
  /** Whether the session may use the network, and so web tools that run at the API. */
  readonly network: boolean
  /** Whether it is refused at once what a model that is down would be asked. */
  readonly givesUp: boolean
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
  /** Holds what may decide the run; `null` where nothing ends it before its own end. */
  readonly lookout: Lookout | null
  /** Waits for a slot for the session that follows a probe. */
  takeSlot(): Promise<void>
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

/** The slot of a lease among those that run at once. */
export interface Slot {
  readonly enter: (signal: AbortSignal) => Promise<void>
  readonly leave: () => void
}

/** A slot that is not taken yet. */
export function createSlot(limit: Pick<Limit, 'enter'>): Slot {
  let leave: (() => void) | null = null
  return {
    async enter(signal) {
      const taken = await limit.enter(signal)
      if (signal.aborted) taken()
      else leave = taken
    },
    leave: () => leave?.(),
  }
}

/** What a lease holds while it is open. */
interface LeaseHolds {
  readonly mayEnd: boolean
  readonly slot: Slot
  readonly lead: Lead
  readonly onClosed: () => void
}

/** Opens a lease. */
export function createLease(parts: LeaseParts, { mayEnd, slot, lead, onClosed }: LeaseHolds): Lease {
  const keyOf = createThreadKeys()
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
    keyOf: (thread) => nameThread(keyOf(thread)),
    lookout: mayEnd ? createLookout(over.signal) : null,
    takeSlot() {
      mayHaveProcess = true
      lead.over()
      return slot.enter(over.signal)
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

/** What one run is doing at the moment. */
export interface RunActivity {
  /** What the worker calls it: the case, and which of its runs. */
  readonly label: string
  /** Milliseconds since it was granted. */
  readonly elapsedMs: number
  /** The last tool that its model has called; `null` when it has called none. */
  readonly lastTool: string | null
  /** US dollars; `null` when it is not known. */
  readonly costUsd: number | null
}

/** The runs that are under way, the longest first. */
export function listActivities(leases: readonly Lease[]): readonly RunActivity[] {
  return leases
    .map((lease) => ({
      label: lease.label,
      elapsedMs: performance.now() - lease.grantedAt,
      lastTool: lease.lastTool(),
      costUsd: lease.meter.reading().costUsd,
    }))
    .toSorted((a, b) => b.elapsedMs - a.elapsedMs)
}

/** The tool that was called last in a conversation; `null` for none. It is named when the model is asked again. */
export function lastToolOf({ messages }: Pick<ModelRequest, 'messages'>): string | null {
  for (const { parts } of messages.toReversed()) {
    const call = parts.findLast((part) => part.kind === 'tool-call')
    if (call !== undefined) return call.name
  }
  return null
}

/** Environment variable that marks every process of a run: its value is the id of the lease. */
export const RUN_TAG = 'AGENT_EVALS_RUN'
