import { AgentEvalsError } from '../errors.ts'

/** Runs a strict `parseArgs` whose complaints are for the user. */
export function parseOwn<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AgentEvalsError('invalid-options', reason, { cause: error })
  }
}
