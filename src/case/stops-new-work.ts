import { AgentEvalsError } from '../errors.ts'

/** Whether the budget is spent or the account is empty: nothing is wrong with the case, but no further one may start. */
export function stopsNewWork(error: unknown): error is AgentEvalsError {
  return error instanceof AgentEvalsError && (error.code === 'budget-spent' || error.code === 'out-of-credit')
}
