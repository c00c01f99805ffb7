import { AgentEvalsError } from '../errors.ts'

const STOPS: ReadonlySet<string> = new Set(['budget-spent', 'credential-refused', 'out-of-credit', 'spending-declined'])

/** Whether the budget is spent, the account is empty, or a person said no: nothing is wrong with the case, but no further one may start. */
export function stopsNewWork(error: unknown): error is AgentEvalsError {
  return error instanceof AgentEvalsError && isStop(error)
}

/** As {@link stopsNewWork}, of an error that is kept in a result. */
export function isStop<E extends { readonly code: string }>(error: E | null): error is E {
  return error !== null && STOPS.has(error.code)
}
