import { AgentEvalsError } from '../errors.ts'

/** Runs a strict `parseArgs` whose complaints are for the user. */
export function parseOwn<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    // Node goes on with two lines about arguments that begin with a dash.
    const unknown = /^Unknown option '([^']+)'/.exec(said)?.[1]
    const reason = unknown === undefined ? said : `${unknown} is unknown. --help shows all options.`
    throw new AgentEvalsError('invalid-options', reason, { cause: error })
  }
}
