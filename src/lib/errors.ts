/**
 * Stable codes of every deliberate error. Branch on `code`, never on `message`.
 *
 * Kebab-case, as in the AAM text (`unsupported-engine`).
 */
export type ErrorCode =
  | 'baseline-contaminated'
  | 'budget-spent'
  | 'cancelled'
  | 'drifted'
  | 'engine-failed'
  | 'engine-not-found'
  | 'engine-too-old'
  | 'gateway-unavailable'
  | 'hook-failed-open'
  | 'interrupted'
  | 'invalid-check'
  | 'invalid-options'
  | 'invalid-report'
  | 'invalid-scenario'
  | 'invalid-suite'
  | 'judge-failed'
  | 'judge-not-paid'
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
  | 'sandbox-unavailable'
  | 'scaffold-failed'
  | 'scenario-exhausted'
  | 'script-not-started'
  | 'skill-not-offered'
  | 'spending-declined'
  | 'stale'
  | 'timed-out'
  | 'unexpected-request'
  | 'unknown-name'
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

/**
 * The same error in one line. Vitest prints the stack and the cause of what a configuration throws, which would be ten
 * lines about its own loader.
 */
export function withoutStack({ code, message }: AgentEvalsError): AgentEvalsError {
  const error = new AgentEvalsError(code, message)
  error.stack = `${error.name}: ${message}`
  return error
}

/** As {@link withoutStack} for an error of ours. What is unexpected keeps its stack. */
export function withoutOwnStack(error: unknown): unknown {
  return error instanceof AgentEvalsError ? withoutStack(error) : error
}

const STOPS: ReadonlySet<string> = new Set([
  'budget-spent',
  'credential-refused',
  'judge-not-paid',
  'out-of-credit',
  'spending-declined',
])

/** Whether the budget is spent, the account is empty, or a person said no: nothing is wrong with the case, but no further one may start. */
export function stopsNewWork(error: unknown): error is AgentEvalsError {
  return error instanceof AgentEvalsError && isStop(error)
}

/** As {@link stopsNewWork}, of an error that is kept in a result. */
export function isStop<E extends { readonly code: string }>(error: E | null): error is E {
  return error !== null && STOPS.has(error.code)
}
