import { randomBytes } from 'node:crypto'
import type { EngineTraffic } from '../../recordings/messages.ts'
import type { Budget, Spending } from '../budget/budget.ts'
import { createMeter } from '../budget/meter.ts'
import { aliasedModels } from '../budget/price.ts'
import { priceOfJudge } from '../budget/worst-case.ts'
import { createDummy } from '../credentials.ts'
import { createFirstTurn } from '../first-turn/first-turn.ts'
import { NO_LEAD, createLeaders, type Lead } from '../first-turn/leaders.ts'
import type { Entrance } from '../gateway.ts'
import type { Limit, Priority } from '../pace.ts'
import type { Account } from '../sources/account.ts'
import type { Source } from '../sources/source.ts'
import type { Wire } from '../wires/wire.ts'
import { findWire } from '../wires/wires.ts'
import {
  createAllowedModels,
  createSlot,
  upstreamKind,
  type CredentialKind,
  type JudgeShare,
  type LeaseRequest,
  type Slot,
} from './lease.ts'
import { createLease, type Lease, type LeaseParts } from './create-lease.ts'

/** All leases of a gateway. */
export interface Leases {
  /** Waits for a slot. Rejects with the signal's reason when it aborts first. */
  open(request: LeaseRequest, signal: AbortSignal): Promise<Lease>
  /** Sets money aside for the judge of a run, until the returned function is called. */
  keepShare(share: JudgeShare): () => void
  byId(id: string): Lease | undefined
  all(): readonly Lease[]
}

interface LeaseOptions {
  readonly limitOf: (request: LeaseRequest) => Limit
  readonly priority: Pick<Priority, 'turnOf'>
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
  readonly spending: Spending
}

export function createLeases(options: LeaseOptions): Leases {
  const held = new Map<string, Lease>()
  const openLoad = createLoads()
  const leaders = createLeaders(options.liveSlots)
  const hold = async ({ wire, request, source, credential, slot, lead, spending }: Opening): Promise<Lease> => {
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
      headers: new Set([...wire.headers, ...options.traffic.flatMap(({ headers = [] }) => headers)]),
      source,
      meter: createMeter(upstreamKind(request.source), request.wire),
      load: openLoad(() => source.conversationSize?.() ?? 0),
      models: createAllowedModels(request.models ?? null),
      access: { network: request.network === true },
      spending,
      firstTurn: request.firstTurn === undefined ? null : createFirstTurn(request.firstTurn),
      follow: leaders.followOf(request, lead),
    }
    const onClosed = (): void => {
      lead.over()
      held.delete(id)
      entrance.close()
      source.close?.()
      parts.load.close()
      spending.close()
      options.budget.close(accountOf(wire, request), parts.meter.reading())
      slot.leave()
    }
    const lease = createLease(parts, { endsWith: request.endsWith, slot, lead, onClosed })
    entrance.admit(lease)
    held.set(id, lease)
    return lease
  }
  return {
    async open(request, signal) {
      const wire = findWire(request.wire)
      const source = options.createSource(wire, request)
      const account = accountOf(wire, request)
      if (account !== null) await options.beforeSpending(request.caseId)
      await options.priority.turnOf(request.caseId, signal)
      // Before a slot, which judges need too: who waits for money must not keep one from those who settle it.
      const spending = account === null ? NO_SPENDING : await options.budget.enter(request.caseId, account, signal)
      const slot = createSlot(options.limitOf(request), request.caseId)
      let lead = NO_LEAD
      try {
        if (request.firstTurn !== 'probe') await slot.enter(signal)
        if (request.firstTurn !== 'hold') await source.account?.check()
        lead = await leaders.enter(request, signal)
        spending.start()
        return await hold({ wire, request, ...source, slot, lead, spending })
      } catch (error) {
        lead.over()
        slot.leave()
        spending.close()
        throw error
      }
    },
    keepShare: ({ caseId, model, wire, requests }) =>
      options.budget.holdShare(caseId, (ofRun) => requests * (priceOfJudge(model ?? ofRun, wire) ?? 0)),
    byId: (id) => held.get(id),
    all: () => [...held.values()],
  }
}

// There is one credential for each upstream. A scenario costs nothing, even if it reports a lack of credit.
function accountOf({ api }: Wire, { source, firstTurn }: LeaseRequest): string | null {
  return upstreamKind(source) === 'live' && firstTurn !== 'hold' ? api.name : null
}

// What asks no API costs nothing.
const NO_SPENDING: Spending = {
  start() {},
  reserve: () => Promise.resolve({ inputUsd: 0, outputTokens: null, settle() {} }),
  end() {},
  close() {},
}

/** What one lease has the gateway hold: its open requests with their answers, and its conversation. */
export interface Load {
  /** Takes a place for a request; `null` when the lease has too many open, sent too many, or holds too much already. */
  enter(): OpenRequest | null
  /** Takes nothing more: a request or an answer was too large, so the case is errored, and others would only fill the memory. */
  shut(): void
  readonly isShut: () => boolean
  /** Gives back what the conversation held. */
  close(): void
}

export interface OpenRequest {
  /** Takes room for bytes of its body or answer; `false` when the lease, or all leases together, hold too many. */
  readonly grow: (bytes: number) => boolean
  leave(): void
}

/**
 * Makes loads that share the memory for bodies, answers and conversations. None is refused its fair share of it.
 * `conversationSize` is the size of what the lease keeps for as long as it is open.
 */
export function createLoads(): (conversationSize: () => number) => Load {
  let total = 0
  let leases = 0
  return (conversationSize) => {
    let open = 0
    let requests = 0
    let held = 0
    let kept = 0
    let isClosed = false
    let isShut = false
    leases += 1
    const hold = (bytes: number): void => {
      held += bytes
      total += bytes
    }
    const fits = (): boolean =>
      held <= MAX_LEASE_BYTES && (total <= MAX_TOTAL_BYTES || held <= Math.max(MAX_TOTAL_BYTES / leases, SHARE_BYTES))
    const countConversation = (): void => {
      const now = isClosed ? 0 : conversationSize()
      hold(now - kept)
      kept = now
    }
    return {
      enter() {
        countConversation()
        requests += 1
        if (isClosed || isShut || open >= MAX_OPEN || requests > MAX_REQUESTS) return null
        if (kept > MAX_CONVERSATION || !fits()) return null
        open += 1
        let ownBytes = 0
        let isOpen = true
        return {
          grow(bytes) {
            if (!isOpen || isShut) return false
            ownBytes += bytes
            hold(bytes)
            isShut = held > MAX_LEASE_BYTES
            return fits()
          },
          leave() {
            if (!isOpen) return
            isOpen = false
            open -= 1
            hold(-ownBytes)
            countConversation()
          },
        }
      },
      shut() {
        isShut = true
      },
      isShut: () => isShut,
      close() {
        if (isClosed) return
        isClosed = true
        leases -= 1
        countConversation()
      },
    }
  }
}

const MIB = 1024 * 1024
const MAX_OPEN = 32
/** A session of hours has some hundreds. Of each a little is remembered, even if it is refused. */
const MAX_REQUESTS = 10_000
/** Its worker gets it at the end, in one piece. */
const MAX_CONVERSATION = 8 * MIB
const MAX_LEASE_BYTES = 24 * MIB
const MAX_TOTAL_BYTES = 40 * MIB
/** What a lease may hold whatever the others do. */
const SHARE_BYTES = 4 * MIB
