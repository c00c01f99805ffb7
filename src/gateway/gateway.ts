import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { AgentEvalsError } from '../lib/errors.ts'
import type { EngineTraffic } from '../recordings/messages.ts'
import { createBudget } from './budget/budget.ts'
import { useOwnPrices, type ModelPrices } from './budget/price.ts'
import { writeAddress } from './control/client.ts'
import { createControl } from './control/control.ts'
import {
  closeAtOnce,
  createSocketFolder,
  listenOnLoopback,
  listenOnSocket,
  type SocketFolder,
} from './control/sockets.ts'
import { findCredential, type Credential } from './credentials.ts'
import { createPrepared, type Prepared } from './first-turn/leaders.ts'
import { listActivities, type RunActivity } from './leases/create-lease.ts'
import { upstreamKind, type LeaseRequest } from './leases/lease.ts'
import { createLeases, type Entrance, type LeaseSource } from './leases/leases.ts'
import { serveModel } from './model-server.ts'
import { createLimit } from './pace.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'
import { createAccount, type Account } from './sources/account.ts'
import { createConnections } from './sources/connections.ts'
import { createLiveSource, type Api } from './sources/live.ts'
import { createPlayedSource, createRecordSource } from './sources/played.ts'
import type { ModelApi } from './wires/apis.ts'
import type { Wire } from './wires/wire.ts'

export interface GatewayOptions {
  /** Runs at once, whatever their source; `null` for the defaults: live 8 if memory allows, scenarios one a core. */
  readonly concurrency: number | null
  /** US dollars that all live requests may cost. */
  readonly maxCostUsd: number
  /** Prices over those of the table. */
  readonly prices?: ModelPrices
  /** Whether models without a price may be asked, which no budget can stop. @default false */
  readonly allowUnknownCost?: boolean
  /** US dollars that the live requests of one case may cost, its judge included. @default maxCostUsd */
  readonly maxCostUsdPerCase?: number
  /** The parent's environment: upstreams and credentials. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** How engines mark their requests; without it every request is on the main thread. @default none */
  readonly traffic?: readonly EngineTraffic[]
}

/** The gateway of a Vitest process. */
export interface Gateway {
  /** Address and secret of the control socket. Never give it to a session. */
  readonly controlSocket: string
  /** For tests. */
  stats(): GatewayStats
  /** What goes on at the moment. */
  activity(): GatewayActivity
  /** What workers need not make themselves. */
  readonly prepared: Pick<Prepared, 'add' | 'over'>
  /** What has to allow each run that asks an API before it starts. @default all may */
  beforeSpending(allow: (caseId: string) => Promise<void>): void
  /** Tells every run, waiting or started, to stop. Later ones may start. */
  cancelAll(reason: string): void
  /** As {@link cancelAll}, and lets none start any more. */
  stop(reason: string): void
  /** Stops every run and kills what is left of them. A later request to start still gets the reason. */
  killAll(): Promise<void>
  /** Stops every run, kills what is left of them, and leaves no file behind. */
  readonly close: () => Promise<void>
}

/** What goes on at a gateway. */
export interface GatewayActivity {
  readonly running: readonly RunActivity[]
  readonly waiting: number
  /** US dollars so far, as far as it is known. */
  readonly costUsd: number
}

interface GatewayStats {
  readonly running: number
  readonly waiting: number
  /** Most that ever ran at once. */
  readonly peak: { readonly live: number; readonly local: number }
}

/** Starts the one server between all engines and the model APIs. */
export async function startGateway({
  concurrency,
  maxCostUsd,
  maxCostUsdPerCase = maxCostUsd,
  allowUnknownCost = false,
  environment,
  prices = {},
  traffic = [],
}: GatewayOptions): Promise<Gateway> {
  useOwnPrices(prices)
  const liveSlots = concurrency ?? defaultLive()
  const live = createLimit(liveSlots)
  const local = createLimit(concurrency ?? availableParallelism())
  const budget = createBudget({ maxCostUsd, maxCostUsdPerCase })
  const folder = createSocketFolder()
  const secret = randomBytes(24).toString('base64url')
  const apis = createApis(environment, allowUnknownCost)
  let allow: ((caseId: string) => Promise<void>) | null = null

  const leases = createLeases({
    limitOf: ({ source, firstTurn }) => (upstreamKind(source) === 'live' && firstTurn !== 'hold' ? live : local),
    budget,
    createSource: (wire, request) => createSource(wire, request, { environment, apis, traffic }),
    traffic,
    liveSlots,
    beforeSpending: async (caseId) => allow?.(caseId),
    openEntrance: (hasPort) => openEntrance(folder, hasPort),
  })
  const prepared = createPrepared()
  const control = createControl(leases, prepared, secret)
  process.once('exit', folder.remove)
  await listenOnSocket(control.server, folder.control)

  const close = async (): Promise<void> => {
    await Promise.all([control.close(CLOSED), ...leases.all().map((lease) => lease.close())])
    await prepared.over()
    folder.remove()
    process.off('exit', folder.remove)
  }
  let closed: Promise<void> | null = null

  return {
    controlSocket: writeAddress({ socket: folder.control, secret }),
    stats: () => ({
      running: live.running + local.running,
      waiting: live.waiting + local.waiting,
      peak: { live: live.peak, local: local.peak },
    }),
    activity() {
      const running = listActivities(leases.all())
      return { running, waiting: live.waiting + local.waiting, costUsd: budget.spent() }
    },
    prepared,
    beforeSpending(next) {
      allow = next
    },
    cancelAll: control.cancelAll,
    stop: control.stop,
    async killAll() {
      control.stop(CLOSED)
      await Promise.all(leases.all().map((lease) => lease.close()))
    },
    close: () => (closed ??= close()),
  }
}

interface SourceContext extends Required<Pick<GatewayOptions, 'environment' | 'traffic'>> {
  readonly apis: Apis
}

function createSource(wire: Wire, { source, listen = false }: LeaseRequest, context: SourceContext): LeaseSource {
  const upstream = source.kind === 'record' ? source.upstream : source
  const made = createPlayedSource(upstream, context.traffic) ?? createApiSource(wire, context)
  const isKept = (listen || source.kind === 'record') && made.source.conversation === undefined
  return isKept ? { ...made, source: createRecordSource(made.source) } : made
}

function createApiSource(wire: Wire, { environment, apis }: SourceContext): LeaseSource {
  const credential = findCredential(wire.name, environment)
  const api = apis.at(findUpstream(wire.api, environment), credential)
  return { source: createLiveSource(api), credential: credential.kind, account: api.account }
}

const CLOSED = 'the gateway was closed'
const DEFAULT_LIVE = 8
const RESERVED_BYTES = 1024 ** 3
const SESSION_BYTES = 350 * 1024 ** 2

/** Live runs wait on the network, so more of them than cores are fine, as long as they fit into memory. */
function defaultLive(): number {
  const fitting = Math.floor((process.availableMemory() - RESERVED_BYTES) / SESSION_BYTES)
  return Math.max(1, Math.min(DEFAULT_LIVE, fitting))
}

/** The model APIs that a gateway passes requests on to. */
interface Apis {
  /** The API at that address for one run: the pace is that of every run, the connections are its own. */
  at(upstream: URL, credential: Credential): Api
}

function createApis(environment: GatewayOptions['environment'], allowUnknownCost: boolean): Apis {
  const paces = new Map<string, RateLimiter>()
  const accounts = new Map<string, Account>()
  return {
    at(upstream, credential) {
      const limiter = paces.get(upstream.href) ?? createRateLimiter()
      paces.set(upstream.href, limiter)
      const name = [upstream.href, credential.kind, credential.secret].join(' ')
      const account = accounts.get(name) ?? createAccount()
      accounts.set(name, account)
      const connections = createConnections(upstream, environment)
      return { upstream, credential, connections, pace: limiter, account, allowUnknownCost }
    },
  }
}

/** Where live requests to an API go: the parent's own base URL, else the official one. */
export function findUpstream(
  { variable, official }: ModelApi,
  environment: Readonly<Record<string, string | undefined>>,
): URL {
  const address = (variable === null ? '' : environment[variable]?.trim()) ?? ''
  if (address === '') return new URL(official)
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new AgentEvalsError('invalid-options', `${variable} is not an http or https address. Correct it or unset it.`)
}

/** Opens a socket, and a port only where no socket can be reached: all users of the machine can connect to a port. */
async function openEntrance(folder: SocketFolder, hasPort: boolean): Promise<Entrance> {
  const socket = folder.next()
  const onSocket = createServer()
  const onPort = hasPort ? createServer() : null
  await listenOnSocket(onSocket, socket)
  return {
    socket,
    port: onPort === null ? null : await listenOnLoopback(onPort),
    admit(lease) {
      for (const server of [onSocket, onPort]) if (server !== null) serveModel(server, lease)
    },
    close() {
      for (const server of [onSocket, onPort]) if (server !== null) closeAtOnce(server)
    },
  }
}
