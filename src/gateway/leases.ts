import { randomBytes } from 'node:crypto'
import { AgentEvalsError } from '../errors.ts'
import { killTagged, killTreeOnExit, signalGroup } from '../process/kill-tree.ts'
import { createAllowedModels } from './allowed-models.ts'
import type { AllowedModels } from './allowed-models.ts'
import type { Budget, Spending } from './budget.ts'
import { createDummy } from './credentials.ts'
import type { EngineTraffic } from '../conversation/traffic.ts'
import { createThreadKeys } from '../conversation/thread.ts'
import { upstreamKind } from './lease.ts'
import type { CredentialKind, LeaseGrant, LeaseRequest } from './lease.ts'
import type { Limit } from './limit.ts'
import { createMeter } from './meter.ts'
import type { Meter } from './meter.ts'
import { createLoads } from './load.ts'
import type { Load } from './load.ts'
import type { Priority } from './priority.ts'
import { createLeader, type Lead, type Leader } from './leader.ts'
import { createFirstTurn } from './first-turn.ts'
import type { FirstTurn, HandOver } from './first-turn.ts'
import type { Source } from './sources/source.ts'
import { RUN_TAG } from './run-tag.ts'
import { findWire } from './wires/find-wire.ts'
import type { RequestAccess } from './wires/request-rules.ts'
import type { Wire } from './wires/wire.ts'
import type { Thread } from '../conversation/model.ts'

/** One run that may use the gateway. */
export interface Lease {
  /** What the worker calls the run. */
  readonly label: string
  /** When it was granted, by a clock that does not jump. */
  readonly grantedAt: number
  /** Notes the tool that its model has called last. */
  noteTool(name: string): void
  lastTool(): string | null
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
  readonly keyOf: (thread: Thread) => string
  /** Follows its first request; `null` where nothing asks for it. */
  readonly firstTurn: FirstTurn | null
  /** Notes that an API has begun to answer: what it was asked is in its prompt cache. */
  readonly begun: () => void
  /** Lets a session follow a probe, as soon as there is a place for one. */
  readonly handOver: (given: HandOver) => Promise<void>
  /** Aborts when the lease is over. */
  readonly signal: AbortSignal
  /** Notes the leader of the engine's process group; `null` once it has exited. */
  setProcess(pid: number | null): void
  /** Kills what is left of the run, then lets the next one in. */
  close(): Promise<void>
}

/** All leases of a gateway. */
export interface Leases {
  /** Waits for a place. Rejects with the signal's reason when it aborts first. */
  open(request: LeaseRequest, signal: AbortSignal): Promise<Lease>
  byId(id: string): Lease | undefined
  byToken(token: string): Lease | undefined
  all(): readonly Lease[]
}

export interface LeaseOptions {
  readonly limitOf: (request: LeaseRequest) => Limit
  readonly priority: Pick<Priority, 'turnOf'>
  readonly budget: Budget
  /** Makes the source of a lease and names the kind of credential behind it. */
  readonly createSource: (wire: Wire, request: LeaseRequest) => SourceOfLease
  readonly traffic: readonly EngineTraffic[]
  readonly socket: string
  /** Opens the TCP port when it is first needed. */
  readonly openPort: () => Promise<number>
}

export interface SourceOfLease {
  readonly source: Source
  readonly credential: CredentialKind
}

export function createLeases(options: LeaseOptions): Leases {
  const held = new Map<string, Lease>()
  const tokens = new Map<string, Lease>()
  const openLoad = createLoads()
  const hold = async (
    wire: Wire,
    request: LeaseRequest,
    { source, credential }: SourceOfLease,
    place: Place,
    lead: Lead,
  ): Promise<Lease> => {
    const port = await options.openPort()
    const id = randomBytes(12).toString('hex')
    const token = createDummy(request.wire, credential)
    const grant = { id, token, credential, socket: options.socket, port }
    const parts = {
      grant,
      label: request.caseId,
      grantedAt: performance.now(),
      wire,
      traffic: options.traffic,
      headers: new Set([...wire.headers, ...options.traffic.flatMap(({ headers = [] }) => headers)]),
      source,
      meter: createMeter(upstreamKind(request.source), request.wire),
      load: openLoad(() => source.conversationSize?.() ?? 0),
      models: createAllowedModels(request.models ?? null),
      access: { network: request.network === true },
      spending: options.budget.open(caseOf(request.caseId)),
      firstTurn: request.firstTurn === undefined ? null : createFirstTurn(request.firstTurn),
      begun: lead.begun,
    }
    const lease = createLease(parts, place, lead, () => {
      lead.over()
      held.delete(id)
      source.close?.()
      parts.load.close()
      options.budget.close(accountOf(wire, request), parts.meter.reading())
      place.leave()
    })
    lease.signal.addEventListener('abort', () => tokens.delete(token))
    held.set(id, lease)
    tokens.set(token, lease)
    return lease
  }
  const leaders = new Map<string, Leader>()
  const leadOf = async ({ cached, source }: LeaseRequest, signal: AbortSignal): Promise<Lead> => {
    if (cached === undefined || upstreamKind(source) !== 'live') return NO_LEAD
    const leader = leaders.get(cached) ?? createLeader()
    leaders.set(cached, leader)
    return leader.enter(signal)
  }
  return {
    async open(request, signal) {
      const wire = findWire(request.wire)
      if (wire === null) {
        const message = `The gateway does not support ${request.wire} yet, which ${request.engine} needs.`
        throw new AgentEvalsError('unsupported-engine', message)
      }
      const source = options.createSource(wire, request)
      await options.priority.turnOf(request.caseId, signal)
      const place = createPlace(options.limitOf(request))
      if (request.firstTurn !== 'probe') await place.enter(signal)
      const lead = await leadOf(request, signal)
      try {
        const account = accountOf(wire, request)
        if (account !== null) options.budget.check(account)
        return await hold(wire, request, source, place, lead)
      } catch (error) {
        lead.over()
        place.leave()
        throw error
      }
    },
    byId: (id) => held.get(id),
    byToken: (token) => tokens.get(token),
    all: () => [...held.values()],
  }
}

const NO_LEAD: Lead = { begun: () => {}, over: () => {} }

// There is one credential for each upstream. A scenario costs nothing, even if it reports a lack of credit.
function accountOf({ upstream }: Wire, { source, firstTurn }: LeaseRequest): string | null {
  return upstreamKind(source) === 'live' && firstTurn !== 'hold' ? upstream.variable : null
}

/** The case of a run or of its judge: what workers write behind its id tells them apart. */
function caseOf(caseId: string): string {
  return caseId.replace(/(?: \((?:run \d+|judge|canary)\))+$/, '')
}

function createLease(
  parts: Omit<Lease, 'close' | 'handOver' | 'keyOf' | 'lastTool' | 'noteTool' | 'setProcess' | 'signal'>,
  place: Place,
  lead: Lead,
  onClosed: () => void,
): Lease {
  const over = new AbortController()
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
    async handOver(given) {
      mayHaveProcess = true
      lead.over()
      await place.enter(over.signal)
      parts.firstTurn?.handOver(given)
    },
    signal: over.signal,
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

/** The place of a lease among those that run at once. */
interface Place {
  readonly enter: (signal: AbortSignal) => Promise<void>
  readonly leave: () => void
}

function createPlace(limit: Pick<Limit, 'enter'>): Place {
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
