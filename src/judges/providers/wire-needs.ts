import { wireOfModel } from '../../engines/wire-of-model.ts'
import { hasCredential } from '../../gateway/secrets/credentials.ts'
import type { WireName } from '../../gateway/leases/lease.ts'

/** The model of a scenario, which is of no family. */
export const SCENARIO = 'scenario'

/** The wire over which a judge of this model is asked. */
export function usualWire(model: string): WireName {
  return model === SCENARIO ? 'anthropic-messages' : wireOfModel(model)
}

/** The credential that a wire needs and that is not set, such as `needs OPENAI_API_KEY`. */
export function missingCredential(
  wire: WireName,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  if (hasCredential(wire, environment)) return null
  return wire === 'anthropic-messages'
    ? 'needs ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN or CLAUDE_CODE_OAUTH_TOKEN'
    : 'needs OPENAI_API_KEY'
}
