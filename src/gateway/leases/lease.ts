import type { ErrorCode } from '../../lib/errors.ts'
import type { ModelAnswer, StopReason } from '../../recordings/messages.ts'
import type { DecidingUse } from '../../transcript/select.ts'
import type { Usage } from '../../transcript/transcript.ts'
import type { FirstTurnMode } from '../first-turn/first-turn.ts'
import type { Limit } from '../pace.ts'
import type { Scenario } from '../sources/scenario-file.ts'
import { listApis } from '../wires/apis.ts'

/** A name of the list of wires. */
export type WireName = string

/** Kinds of credentials. */
export type CredentialKind = 'api-key' | 'auth-token' | 'oauth'

/** Where the answers of a lease come from. */
export type AnswerSource = UpstreamSource | RecordSource | ReplaySource

/** A source that needs no recording. */
export type UpstreamSource = { readonly kind: 'live' } | { readonly kind: 'scenario'; readonly scenario: Scenario }

/** Keeps what the upstream answers. */
interface RecordSource {
  readonly kind: 'record'
  readonly upstream: UpstreamSource
}

/** Answers from what was kept. */
export interface ReplaySource {
  readonly kind: 'replay'
  readonly credential: CredentialKind
  /** Model id that the answers carry. */
  readonly model: string
  readonly threads: readonly AnsweredThread[]
}

/** The answers of one conversation, as a session with the paths of this run has to get them. */
export interface AnsweredThread {
  /** `main`, `agent` or `side:<kind>`. */
  readonly thread: string
  /** What a sub-agent was given; `null` for the others. */
  readonly given: string | null
  readonly turns: readonly Pick<ModelAnswer, 'content' | 'stopReason' | 'usage'>[]
}

/** Who answers in the end: what costs and what limits a lease go by it. */
export function upstreamKind(source: AnswerSource): AnswerSource['kind'] {
  return source.kind === 'record' ? source.upstream.kind : source.kind
}

/** What a worker asks the gateway for before it starts an engine. One lease is one run. */
export interface LeaseRequest {
  /** Shown while waiting and in errors, such as `evals/cases/pdf.yaml#pdf`. */
  readonly caseId: string
  readonly engine: string
  readonly wire: WireName
  readonly source: AnswerSource
  /** Which models a live source may be asked; absent for any. */
  readonly models?: ModelRules
  /** Whether the session may use the network, and so web tools that run at the API. @default false */
  readonly network?: boolean
  /** Whether the session cannot reach a socket and needs a port, which all users of the machine reach. @default false */
  readonly port?: boolean
  /** Whether what is asked and answered is kept even where nothing is recorded. */
  readonly listen?: boolean
  /** What decides the run: no request that follows it is answered. Absent for a run that goes on to its own end. */
  readonly endsWith?: DecidingUse
  /** What becomes of its first request; absent where nothing asks for it. A `probe` takes no slot before a session follows. */
  readonly firstTurn?: FirstTurnMode
  /** Whether its requests wait for another one to fill the prompt cache of an API that both read. */
  readonly sharesCache?: true
  /** What its first request shares with others in that cache: its lease waits for one that goes first. Absent where none does. */
  readonly cached?: string
}

/** What the judge of a run will ask, told before the run. */
export interface JudgeShare {
  /** As that of the run's lease. */
  readonly caseId: string
  /** `null` for the model of the run. */
  readonly model: string | null
  readonly wire: WireName
  readonly requests: number
}

/** What the gateway grants. */
export interface LeaseGrant {
  readonly id: string
  /** Dummy credential that names the lease. */
  readonly token: string
  /** Kind of credential the dummy replaces: the kind that the gateway really holds. */
  readonly credential: CredentialKind
  /** Unix socket on the host that is this run's alone. */
  readonly socket: string
  /** Port on 127.0.0.1 that is this run's alone; `null` where it asked for none. */
  readonly port: number | null
  /** Ids that aliases of models have to mean, so that they have a price; absent where nothing is paid. */
  readonly aliases?: Readonly<Record<string, string>>
}

/** What the gateway saw of a run. */
export interface MeterReading {
  /** Requests answered. */
  readonly requests: number
  /** From real usage; `null` when no answer carried any. */
  readonly usage: Usage | null
  /** Model id of the last answer. */
  readonly model: string | null
  /** US dollars; 0 for a scenario or replay, `null` when a price is unknown. */
  readonly costUsd: number | null
  /** Why answers could not be given, in order; a run with one of these is errored whatever the CLI's exit code. */
  readonly problems: readonly { readonly code: ErrorCode; readonly message: string }[]
  /** How the last answer on the main thread ended; absent when that is unknown. */
  readonly stopReason?: StopReason
  /** Requests that the gateway refused; absent when there were none. */
  readonly refused?: readonly { readonly what: string; readonly times: number }[]
  /** Requests for a count of tokens, by the model they name; absent when there were none. */
  readonly counted?: readonly { readonly what: string; readonly times: number }[]
  /** Fields and headers of requests that were not forwarded; absent when there were none. */
  readonly removed?: readonly string[]
  /** What the request waits for that has waited longest, or did when it was given up; absent when none waits. */
  readonly waits?: Waiting
}

/** A request without a whole answer. */
export interface Waiting {
  readonly ms: number
  /** `start`: nothing of its answer has come. `rest`: it has begun and does not go on. */
  readonly for: 'start' | 'rest'
  /** What the API says in the meantime, in one sentence; `null` when nothing. */
  readonly refused: string | null
}

/** One line of the stream that is a lease: what the gateway tells the worker. */
export type LeaseNews =
  | { readonly granted: LeaseGrant }
  | { readonly refused: { readonly code: ErrorCode; readonly message: string } }
  /** The run must stop: cancelled, or the gateway closes. */
  | { readonly abort: string }

/** The slot of a lease among those that run at once. */
export interface Slot {
  readonly enter: (signal: AbortSignal) => Promise<void>
  readonly leave: () => void
}

/** A slot that is not taken yet. */
export function createSlot(limit: Pick<Limit, 'enter'>, caseId: string): Slot {
  let leave: (() => void) | null = null
  return {
    async enter(signal) {
      const taken = await limit.enter(signal, caseId)
      if (signal.aborted) taken()
      else leave = taken
    },
    leave: () => leave?.(),
  }
}

/** Which models a run may ask. */
export interface ModelRules {
  /** The run's own; `null` leaves the choice to the engine, whose first request decides. */
  readonly own: string | null
  /** Ids and aliases that its package and its engine name, such as `haiku`. */
  readonly named: readonly string[]
}

/** The models that one lease may ask. */
export interface AllowedModels {
  allows(model: string): boolean
  /** The run's own model; `null` while that is not known. */
  own(): string | null
  /** Allows the models that an answer's calls name for sub-agents. */
  readonly learn: (answer: Pick<ModelAnswer, 'content'>) => void
  /** For errors. */
  list(): string
}

/** Without rules every model may be asked. */
export function createAllowedModels(rules: ModelRules | null): AllowedModels {
  if (rules === null) return { allows: () => true, own: () => null, learn() {}, list: () => 'any' }
  let { own } = rules
  const named = new Set(rules.named)
  return {
    allows(model) {
      own ??= model
      return isNamedBy(model, own) || [...named].some((name) => isNamedBy(model, name))
    },
    own: () => own,
    learn({ content }) {
      for (const block of content)
        if (block.kind === 'tool-call' && isDelegating(block.name)) {
          const model = modelIn(block.input)
          if (model !== null) named.add(model)
        }
    },
    list: () => [own ?? [], ...named].flat().join(', '),
  }
}

/** Whether a tool is one by which models start sub-agents, in the names of the engines. */
export function isDelegating(tool: string): boolean {
  return DELEGATES.test(tool)
}

const DELEGATES = /^(?:Agent|Task|task|(?:.*\.)?spawn_agent)$/

function modelIn(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !('model' in input)) return null
  return typeof input.model === 'string' ? input.model : null
}

/** Whether an id or an alias names a model: an id is one model, an alias without a number is a family of models. */
function isNamedBy(model: string, name: string): boolean {
  const [plainModel, plainName] = [plain(model), plain(name)]
  if (isSameModel(plainModel, plainName)) return true
  if (plainName === 'opusplan') return /(?:^|-)(?:opus|sonnet)(?:-|$)/.test(plainModel)
  return !/\d/.test(plainName) && familyOf(plainModel) === familyOf(plainName)
}

// The mark of a longer context is no part of a model's name, and some write versions with dots.
function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/\[\w+\]$/, '')
    .replaceAll('.', '-')
}

function familyOf(name: string): string {
  return name
    .split('-')
    .filter((word) => !/^(?:\d+|latest|default)$/.test(word) && !listApis().some(({ prefix }) => prefix === word))
    .join('-')
}

/** Whether two ids are one model, with or without a date behind its name. */
export function isSameModel(one: string, other: string): boolean {
  return one === other || isDated(one, other) || isDated(other, one)
}

function isDated(dated: string, id: string): boolean {
  return dated.startsWith(`${id}-`) && /^-(?:\d{8}|\d{4}-\d\d-\d\d|latest)$/.test(dated.slice(id.length))
}
