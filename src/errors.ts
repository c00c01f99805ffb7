/**
 * Stable codes of every deliberate error. Branch on `code`, never on `message`.
 *
 * Kebab-case, as in the AAM text (`unsupported-engine`).
 */
export type ErrorCode =
  | 'baseline-contaminated'
  | 'budget-spent'
  | 'canary-failed'
  | 'cancelled'
  | 'drifted'
  | 'engine-failed'
  | 'engine-not-found'
  | 'engine-too-old'
  | 'first-turn-undecided'
  | 'gateway-unavailable'
  | 'hook-failed-open'
  | 'interrupted'
  | 'invalid-check'
  | 'invalid-options'
  | 'invalid-report'
  | 'invalid-scenario'
  | 'invalid-suite'
  | 'judge-failed'
  | 'max-tokens'
  | 'missing-answers'
  | 'missing-input'
  | 'model-refused'
  | 'no-credentials'
  | 'no-judge'
  | 'no-match'
  | 'no-model'
  | 'no-output'
  | 'not-replayable'
  | 'credential-refused'
  | 'out-of-credit'
  | 'project-name-taken'
  | 'records-differ'
  | 'recording-changed'
  | 'recording-incompatible'
  | 'recording-invalid'
  | 'recording-unwritable'
  | 'report-unwritable'
  | 'resource-limit'
  | 'sandbox-unavailable'
  | 'scaffold-failed'
  | 'scenario-exhausted'
  | 'script-not-started'
  | 'skill-not-offered'
  | 'spending-declined'
  | 'stale'
  | 'timed-out'
  | 'unexpected-request'
  | 'unknown-price'
  | 'unsafe-path'
  | 'untrusted-plugin'
  | 'unsupported-engine'
  | 'unsupported-vitest'
  | 'upstream-failed'
  | 'workspace-failed'

/** Options of {@link AgentEvalsError}. */
export interface AgentEvalsErrorOptions {
  /** The error that caused this one. */
  readonly cause?: unknown
  /** Where the mistake is, for a code frame. */
  readonly at?: ErrorPlace | undefined
  /** What to do about this one, where the message is the same for many. */
  readonly remedy?: string | undefined
}

/** A place in a file. Both numbers start at 1. */
export interface ErrorPlace {
  /** Absolute path. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Every deliberate error of this package. The message says what happened, where, and what to do next. */
export class AgentEvalsError extends Error {
  static {
    this.prototype.name = 'AgentEvalsError'
  }

  /** Stable, machine-readable reason. */
  readonly code: ErrorCode
  /** Where the mistake is, unless it is where the error was thrown. */
  declare readonly at?: ErrorPlace
  /** What to do about this one, where the message is the same for many. */
  declare readonly remedy?: string

  constructor(code: ErrorCode, message: string, { at, remedy, ...options }: AgentEvalsErrorOptions = {}) {
    super(message, options)
    this.code = code
    if (at !== undefined) this.at = at
    if (remedy !== undefined) this.remedy = remedy
  }
}

/** What happened, and below it what to do. */
export function withRemedy({
  message,
  remedy,
}: {
  readonly message: string
  readonly remedy?: string | undefined
}): string {
  return remedy === undefined ? message : `${message}\n${remedy}`
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
