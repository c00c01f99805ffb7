import { randomBytes } from 'node:crypto'
import type { EngineTraffic } from '../../recordings/messages.ts'
import type { Budget } from '../budget/budget.ts'
import { createMeter } from '../budget/meter.ts'
import { aliasedModels } from '../budget/price.ts'
import { createDummy } from '../credentials.ts'
import { createFirstTurn } from '../first-turn/first-turn.ts'
import { NO_LEAD, createLeaders, type Lead } from '../first-turn/leaders.ts'
import type { Limit } from '../pace.ts'
import type { Account } from '../sources/account.ts'
import type { Source } from '../sources/source.ts'
import type { Wire } from '../wires/wire.ts'
import { findWire } from '../wires/wires.ts'
import { createLease, createSlot, type Lease, type LeaseParts, type Slot } from './create-lease.ts'
import { upstreamKind, type CredentialKind, type LeaseRequest } from './lease.ts'

/** All leases of a gateway. */
export interface Leases {
  /** Waits for a slot. Rejects with the signal's reason when it aborts first. */
  open(request: LeaseRequest, signal: AbortSignal): Promise<Lease>
  all(): readonly Lease[]
}

interface LeaseOptions {
  readonly limitOf: (request: LeaseRequest) => Limit
  readonly budget: Budget
  /** Makes the source of a lease and names the kind of credential behind it. */
  readonly createSource: (wire: Wire, request: LeaseRequest) => LeaseSource
  readonly traffic: readonly EngineTraffic[]
  /** How many live sessions ask at once. */
  readonly liveSlots: number
  /** Rejects where a run may not ask an API. */
  readonly beforeSpending: (caseId: string) => Promise<void>
  /** Makes the way by which a session reaches its lease. */
  readonly openEntrance: (hasPort: boolean) => Promise<Entrance>
}

/** The way by which one session reaches its lease. Each has its own: what it does to it harms no other. */
export interface Entrance {
  readonly socket: string
  /** `null` without one. */
  readonly port: number | null
  /** Lets in who has the lease's credential. */
  admit(lease: Lease): void
  close(): void
}

/** Where the answers of a lease come from, and the credential that its session gets. */
export interface LeaseSource {
  readonly source: Source
  readonly credential: CredentialKind
  /** Absent where no API is asked. */
  readonly account?: Pick<Account, 'check'>
}

/** What a lease is opened with. */
interface Opening extends LeaseSource {
  readonly wire: Wire
  readonly request: LeaseRequest
  readonly slot: Slot
  readonly lead: Lead
}

export function createLeases(options: LeaseOptions): Leases {
  const held = new Set<Lease>()
  const leaders = createLeaders(options.liveSlots)
  const hold = async ({ wire, request, source, credential, slot, lead }: Opening): Promise<Lease> => {
    const entrance = await options.openEntrance(request.port === true)
    const id = randomBytes(12).toString('hex')
    const token = createDummy(wire.api, credential)
    const { aliases: names } = wire.api
    const isPaid = upstreamKind(request.source) === 'live' && names !== undefined
    const aliases = isPaid ? { aliases: aliasedModels(names) } : {}
    const grant = { id, token, credential, socket: entrance.socket, port: entrance.port, ...aliases }
    const parts: LeaseParts = {
      grant,
      label: request.caseId,
      grantedAt: performance.now(),
      wire,
      traffic: options.traffic,
      source,
      meter: createMeter(),
      network: request.network === true,
      givesUp: request.givesUp === true,
      spending: options.budget.open(request.caseId),
      firstTurn: request.firstTurn === undefined ? null : createFirstTurn(request.firstTurn),
      follow: leaders.followOf(request, lead),
    }
    const onClosed = (): void => {
      lead.over()
      held.delete(lease)
      entrance.close()
      source.close?.()
      slot.leave()
    }
    const lease = createLease(parts, { mayEnd: request.mayEnd === true, slot, lead, onClosed })
    entrance.admit(lease)
    held.add(lease)
    return lease
  }
  return {
    async open(request, signal) {
      const wire = findWire(request.wire)
      const source = options.createSource(wire, request)
      const isPaid = upstreamKind(request.source) === 'live' && request.firstTurn !== 'hold'
      if (isPaid) await options.beforeSpending(request.caseId)
      const slot = createSlot(options.limitOf(request))
      let lead = NO_LEAD
      try {
        if (request.firstTurn !== 'probe') await slot.enter(signal)
        // One that gives up is refused by its first request, as it is for every other reason.
        if (request.firstTurn !== 'hold' && request.givesUp !== true) await source.account?.check()
        lead = await leaders.enter(request, signal)
        if (isPaid) options.budget.check(request.caseId)
        return await hold({ wire, request, ...source, slot, lead })
      } catch (error) {
        lead.over()
        slot.leave()
        throw error
      }
    },
    all: () => [...held],
  }
}
