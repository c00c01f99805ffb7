import { randomBytes } from 'node:crypto'
import { AgentEvalsError } from '../errors.ts'
import type { LeaseGrant, WireName } from './lease.ts'

/** A real credential. It stays in the gateway: only its kind leaves it. */
export interface Credential {
  readonly kind: LeaseGrant['credential']
  readonly secret: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Finds the credential of a wire in the parent's environment; throws `no-credentials` when there is none. */
export function findCredential(wire: WireName, environment: Environment): Credential {
  for (const [name, kind] of VARIABLES[wire]) {
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
  const names = VARIABLES[wire].map(([name]) => name).join(', ')
  throw new AgentEvalsError(
    'no-credentials',
    `A live run needs a credential and none is set. Set one of ${names}, or play recordings with --source replay.${SUBSCRIPTION[wire] ?? ''}`,
  )
}

/** Whether a live run of this wire has a credential to try. */
export function hasCredential(wire: WireName, environment: Environment): boolean {
  return isAnySet(VARIABLES[wire], environment)
}

/** Whether a live run of any wire has a credential to try. */
export function hasAnyCredential(environment: Environment): boolean {
  return Object.values(VARIABLES).some((names) => isAnySet(names, environment))
}

/** Names of all variables that may hold a credential. */
export function credentialVariables(): readonly string[] {
  return [...new Set(Object.values(VARIABLES).flatMap((names) => names.map(([name]) => name)))]
}

function isAnySet(names: (typeof VARIABLES)[WireName], environment: Environment): boolean {
  return names.some(([name]) => (environment[name]?.trim() ?? '') !== '')
}

/** Makes the dummy that an engine is given: of the same kind, good for one lease. */
export function createDummy(wire: WireName, kind: Credential['kind']): string {
  const random = randomBytes(32).toString('base64url')
  return `${wire === 'anthropic-messages' ? DUMMY_PREFIXES[kind] : OPENAI_PREFIX}${random}`
}

/** The header that carries a credential to a wire's upstream. */
export function credentialHeader(wire: WireName, { kind, secret }: Credential): readonly [name: string, value: string] {
  if (wire === 'anthropic-messages' && kind === 'api-key') return ['x-api-key', secret]
  return ['authorization', `Bearer ${secret}`]
}

/** The dummy in a request's headers; `null` when there is none. */
export function dummyOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string | null {
  const key = headers['x-api-key']
  if (typeof key === 'string') return key
  const authorization = headers['authorization']
  return typeof authorization === 'string' ? authorization.replace(/^bearer /i, '') : null
}

// A login that is kept in a keychain is not visible in the fresh HOME of an agent.
const SUBSCRIPTION: Partial<Record<WireName, string>> = {
  'anthropic-messages':
    ' With a Claude subscription, run `claude setup-token` and set CLAUDE_CODE_OAUTH_TOKEN: the agent does not see a login in a keychain.',
}

const OPENAI = [
  ['OPENAI_API_KEY', 'api-key'],
  ['ATOMIC_AGENTS_OPENAI_KEY', 'api-key'],
] as const

const VARIABLES: Readonly<Record<WireName, readonly (readonly [name: string, kind: Credential['kind']])[]>> = {
  'anthropic-messages': [
    ['ANTHROPIC_API_KEY', 'api-key'],
    ['ANTHROPIC_AUTH_TOKEN', 'auth-token'],
    ['CLAUDE_CODE_OAUTH_TOKEN', 'oauth'],
    ['ATOMIC_AGENTS_ANTHROPIC_KEY', 'api-key'],
  ],
  'openai-responses': OPENAI,
  'openai-chat': OPENAI,
}

const OPENAI_PREFIX = 'sk-proj-'

const DUMMY_PREFIXES: Readonly<Record<Credential['kind'], string>> = {
  'api-key': 'sk-ant-api03-',
  'auth-token': 'agent-evals-',
  oauth: 'sk-ant-oat01-',
}
