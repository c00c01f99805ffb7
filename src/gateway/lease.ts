import type { ErrorCode } from '../errors.ts'
import type { Usage } from '../transcript/transcript.ts'
import type { Scenario } from './sources/scenario-file.ts'

/** The wires the gateway speaks. */
export type WireName = 'anthropic-messages' | 'openai-responses' | 'openai-chat'

/** Where the answers of a lease come from. */
export type AnswerSource = { readonly kind: 'live' } | { readonly kind: 'scenario'; readonly scenario: Scenario }

/** What a worker asks the gateway for before it starts an engine. One lease is one run. */
export interface LeaseRequest {
  /** Shown while waiting and in errors, such as `evals/cases/pdf.yaml#pdf`. */
  readonly caseId: string
  readonly engine: string
  readonly wire: WireName
  readonly source: AnswerSource
}

/** What the gateway grants. */
export interface LeaseGrant {
  readonly id: string
  /** Dummy credential that names the lease. */
  readonly token: string
  /** Kind of credential the dummy stands for: the kind that the gateway really holds. */
  readonly credential: 'api-key' | 'auth-token' | 'oauth'
  /** Unix socket of the gateway on the host. */
  readonly socket: string
  /** TCP port of the gateway on 127.0.0.1. */
  readonly port: number
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
}
