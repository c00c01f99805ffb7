import { AgentEvalsError } from '../errors.ts'

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
