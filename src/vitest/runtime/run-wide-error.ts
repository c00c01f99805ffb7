import { AgentEvalsError, type ErrorCode } from '../../errors.ts'
import { toPrintableMessage } from '../../results/printable.ts'
import { withoutStack } from '../../options/without-stack.ts'

/** Whether every case of a run has the same error, whatever is in its file. */
export function isRunWide({ code }: { readonly code: ErrorCode }): boolean {
  return RUN_WIDE.has(code)
}

/**
 * The error of a test where it is the same for all: without a place and without a command for one case. Vitest prints
 * errors with equal stacks once, below the names of all their tests.
 */
export function runWideError({
  code,
  message,
}: {
  readonly code: ErrorCode
  readonly message: string
}): AgentEvalsError {
  return withoutStack(new AgentEvalsError(code, `${code}: ${toPrintableMessage(message)}`))
}

const RUN_WIDE: ReadonlySet<ErrorCode> = new Set(['engine-not-found', 'unsupported-engine'])
