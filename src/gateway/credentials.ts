import { randomBytes } from 'node:crypto'
import { AgentEvalsError } from '../lib/errors.ts'
import type { CredentialKind } from './leases/lease.ts'
import { apiOfWire, credentialVariables, listApis, type ModelApi } from './wires/apis.ts'

/** A real credential. It stays in the gateway: only its kind leaves it. */
export interface Credential {
  readonly kind: CredentialKind
  /** Empty for an API that takes none. */
  readonly secret: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Finds the credential of a wire in the parent's environment; throws `no-credentials` when there is none. */
export function findCredential(wire: string, environment: Environment): Credential {
  const { credentials, subscription } = apiOfWire(wire)
  if (credentials.length === 0) return { kind: 'api-key', secret: '' }
  for (const [name, kind] of credentials) {
    const secret = environment[name]?.trim() ?? ''
    if (secret === '') continue
    // The message must not hold the value.
    if (!/^[\x21-\x7e]+$/.test(secret))
      throw new AgentEvalsError(
        'no-credentials',
        `${name} contains spaces or control characters. Set it to the bare key.`,
      )
    return { kind, secret }
  }
  const names = credentials.map(([name]) => name).join(', ')
  const advice = subscription === undefined ? '' : ` ${subscription}`
  throw new AgentEvalsError(
    'no-credentials',
    `A live run needs a credential and none is set. Set one of ${names}, or play recordings with --source replay.${advice}`,
  )
}

/** Whether a live run of this wire has the credential that it needs. */
export function hasCredential(wire: string, environment: Environment): boolean {
  const { credentials } = apiOfWire(wire)
  return credentials.length === 0 || credentials.some(([name]) => isSet(environment[name]))
}

/** The credential that a wire needs and that is not set, such as `needs OPENAI_API_KEY`; `null` where it is. */
export function missingCredential(wire: string, environment: Environment): string | null {
  if (hasCredential(wire, environment)) return null
  const names = apiOfWire(wire).credentials.flatMap(([name]) => (name.startsWith(COMPATIBLE) ? [] : [name]))
  return `needs ${[names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' or ')}`
}

/** Names of another program that count too. */
const COMPATIBLE = 'ATOMIC_AGENTS_'

/** The usual variable for the credential of a wire. */
export function credentialVariable(wire: string): string {
  return apiOfWire(wire).credentials[0]?.[0] ?? ''
}

/** Whether a live run of any wire has a credential to try. */
export function hasAnyCredential(environment: Environment): boolean {
  return credentialVariables().some((name) => isSet(environment[name]))
}

/** Kind of the live credential for the API that subscriptions are for; `null` when there is none. */
export function subscriptionCredential(environment: Environment): CredentialKind | null {
  const { credentials = [] } = listApis().find(({ subscription }) => subscription !== undefined) ?? {}
  return credentials.find(([name]) => isSet(environment[name]))?.[1] ?? null
}

function isSet(value: string | undefined): boolean {
  return (value?.trim() ?? '') !== ''
}

/** Makes the dummy that an engine is given: of the same kind, good for one lease. */
export function createDummy({ dummies }: ModelApi, kind: CredentialKind): string {
  return dummies[kind] + randomBytes(32).toString('base64url')
}

/** The header that carries a credential to an API; none where there is no credential. */
export function credentialHeader(
  { keyHeader }: ModelApi,
  { kind, secret }: Credential,
): Readonly<Record<string, string>> {
  if (secret === '') return {}
  return keyHeader !== undefined && kind === 'api-key' ? { [keyHeader]: secret } : { authorization: `Bearer ${secret}` }
}

/** The dummy in a request's headers; `null` when there is none. */
export function dummyOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string | null {
  const key = headers['x-api-key']
  if (typeof key === 'string') return key
  const authorization = headers['authorization']
  return typeof authorization === 'string' ? authorization.replace(/^bearer /i, '') : null
}
