import { randomBytes } from 'node:crypto'
import { AgentEvalsError } from '../../errors.ts'
import { credentialVariables, makerOfWire, SUBSCRIPTION_WIRE } from '../makers.ts'
import type { CredentialKind, WireName } from '../leases/lease.ts'

/** A real credential. It stays in the gateway: only its kind leaves it. */
export interface Credential {
  readonly kind: CredentialKind
  readonly secret: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Finds the credential of a wire in the parent's environment; throws `no-credentials` when there is none. */
export function findCredential(wire: WireName, environment: Environment): Credential {
  const { credentials, subscription } = makerOfWire(wire)
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

/** Whether a live run of this wire has a credential to try. */
export function hasCredential(wire: WireName, environment: Environment): boolean {
  return makerOfWire(wire).credentials.some(([name]) => isSet(environment[name]))
}

/** The usual variable for the credential of a wire. */
export function credentialVariable(wire: WireName): string {
  return makerOfWire(wire).credentials[0]?.[0] ?? ''
}

/** Whether a live run of any wire has a credential to try. */
export function hasAnyCredential(environment: Environment): boolean {
  return credentialVariables().some((name) => isSet(environment[name]))
}

/** Kind of the live credential for the API that subscriptions are for; `null` when there is none. */
export function subscriptionCredential(environment: Environment): CredentialKind | null {
  return hasCredential(SUBSCRIPTION_WIRE, environment) ? findCredential(SUBSCRIPTION_WIRE, environment).kind : null
}

function isSet(value: string | undefined): boolean {
  return (value?.trim() ?? '') !== ''
}

/** Makes the dummy that an engine is given: of the same kind, good for one lease. */
export function createDummy(wire: WireName, kind: CredentialKind): string {
  return makerOfWire(wire).dummies[kind] + randomBytes(32).toString('base64url')
}

/** The header that carries a credential to a wire's upstream. */
export function credentialHeader(wire: WireName, { kind, secret }: Credential): readonly [name: string, value: string] {
  const { keyHeader } = makerOfWire(wire)
  if (keyHeader !== undefined && kind === 'api-key') return [keyHeader, secret]
  return ['authorization', `Bearer ${secret}`]
}

/** The dummy in a request's headers; `null` when there is none. */
export function dummyOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string | null {
  const key = headers['x-api-key']
  if (typeof key === 'string') return key
  const authorization = headers['authorization']
  return typeof authorization === 'string' ? authorization.replace(/^bearer /i, '') : null
}
