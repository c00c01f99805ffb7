import type { ErrorCode } from '../../lib/errors.ts'
import type { ModelAnswer, StopReason } from '../../recordings/messages.ts'
import type { Usage } from '../../transcript/transcript.ts'
import type { FirstTurnMode } from '../first-turn/first-turn.ts'
import type { Scenario } from '../sources/scenario-file.ts'

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
  readonly wire: WireName
  readonly source: AnswerSource
  /** Whether the session may use the network, and so web tools that run at the API. @default false */
  readonly network?: boolean
  /** Whether the session cannot reach a socket and needs a port, which all users of the machine reach. @default false */
  readonly port?: boolean
  /** Whether what is asked and answered is kept even where nothing is recorded. */
  readonly listen?: boolean
  /** Whether the worker may end the run by what a request carries, which is answered once it has looked. @default false */
  readonly mayEnd?: true
  /** What becomes of its first request; absent where nothing asks for it. A `probe` takes no slot before a session follows. */
  readonly firstTurn?: FirstTurnMode
  /** Whether its requests wait for another one to fill the prompt cache of an API that both read. */
  readonly sharesCache?: true
  /** Whether others can give its answers: a model that gives it none for half a minute is not asked again in this run. */
  readonly givesUp?: true
  /** What its first request shares with others in that cache: its lease waits for one that goes first. Absent where none does. */
  readonly cached?: string
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
  readonly problems: readonly Problem[]
  /** How the last answer on the main thread ended; absent when that is unknown. */
  readonly stopReason?: StopReason
  /** Requests that the gateway refused; absent when there were none. */
  readonly refused?: readonly RequestCount[]
  /** Requests for a count of tokens, by the model they name; absent when there were none. */
  readonly counted?: readonly RequestCount[]
  /** What the request waits for that has waited longest, or did when it was given up; absent when none waits. */
  readonly waits?: Waiting
}

/** What keeps a run from its answers. */
export interface Problem {
  readonly code: ErrorCode
  readonly message: string
}

/** How often requests of one kind came. */
export interface RequestCount {
  readonly what: string
  readonly times: number
}

/** A request without a whole answer. */
export interface Waiting {
  readonly ms: number
  /** `start`: nothing of its answer has come. `rest`: it has begun and does not go on. */
  readonly for: 'start' | 'rest'
  /** What the API says in the meantime, in one sentence; `null` when nothing. */
  readonly refused: string | null
}

/** A model's name as its API knows it: the mark of a longer context, as in `claude-sonnet-4-5[1m]`, is for Claude Code alone. */
export function apiModel(name: string): string {
  return name.replace(/\[\w+\]$/, '')
}

/** Whether two ids are one model, with or without a date or a longer context behind its name. */
export function isSameModel(one: string, other: string): boolean {
  const [left, right] = [apiModel(one), apiModel(other)]
  return left === right || isDated(left, right) || isDated(right, left)
}

function isDated(dated: string, id: string): boolean {
  return dated.startsWith(`${id}-`) && /^-(?:\d{8}|\d{4}-\d\d-\d\d|latest)$/.test(dated.slice(id.length))
}
