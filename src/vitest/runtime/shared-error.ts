import { AgentEvalsError, type ErrorCode } from '../../errors.ts'
import { toPrintableMessage } from '../../results/printable.ts'
import { withoutStack } from '../../options/without-stack.ts'

/** Whether many cases may have this error for one cause outside of their files, such as an edited skill. */
export function isShared({ code }: { readonly code: ErrorCode }): boolean {
  return SHARED.has(code)
}

/**
 * The error of a test where others have the same: without a place and without a command for one case. Vitest prints
 * errors with equal stacks once, below the names of all their tests; the summary has one command for all of them.
 */
export function sharedError({
  code,
  message,
}: {
  readonly code: ErrorCode
  readonly message: string
}): AgentEvalsError {
  return withoutStack(new AgentEvalsError(code, `${code}: ${toPrintableMessage(message)}`))
}

const SHARED: ReadonlySet<ErrorCode> = new Set([
  'credential-refused',
  'engine-not-found',
  'engine-too-old',
  'missing-answers',
  'missing-input',
  'no-credentials',
  'out-of-credit',
  'recording-incompatible',
  'sandbox-unavailable',
  'stale',
  'unknown-price',
  'unsupported-engine',
])
