import type { CredentialKind, WireName } from './leases/lease.ts'

/** Who makes models: how these are called, over which APIs they are asked, and with which credentials. */
export interface Maker {
  /** As the table of prices and reports name it. */
  readonly name: string
  readonly models: RegExp
  /** First word of the ids of its models, which aliases of them leave out. */
  readonly prefix?: string
  /** Whether the versions in its models' ids have dashes: some engines write dots. */
  readonly dashedVersions?: true
  /** Its APIs, the usual one first. */
  readonly wires: readonly WireName[]
  /** Variables that may hold a credential, in the order in which they count. */
  readonly credentials: readonly (readonly [variable: string, kind: CredentialKind])[]
  /** How its credentials begin: a dummy has the same kind. */
  readonly dummies: Readonly<Record<CredentialKind, string>>
  /** Header that carries a key without `Bearer`. */
  readonly keyHeader?: string
  /** What users without a key may do, as a sentence. */
  readonly subscription?: string
}

const MAKERS: readonly Maker[] = [
  {
    name: 'anthropic',
    models: /^(?:claude|(?:opus|sonnet|haiku)(?:$|-))/,
    prefix: 'claude',
    dashedVersions: true,
    wires: ['anthropic-messages'],
    credentials: [
      ['ANTHROPIC_API_KEY', 'api-key'],
      ['ANTHROPIC_AUTH_TOKEN', 'auth-token'],
      ['CLAUDE_CODE_OAUTH_TOKEN', 'oauth'],
      ['ATOMIC_AGENTS_ANTHROPIC_KEY', 'api-key'],
    ],
    dummies: { 'api-key': 'sk-ant-api03-', 'auth-token': 'agent-evals-', oauth: 'sk-ant-oat01-' },
    keyHeader: 'x-api-key',
    // A login that is kept in a keychain is not visible in the fresh HOME of an agent.
    subscription:
      'With a Claude subscription, run `claude setup-token` and set CLAUDE_CODE_OAUTH_TOKEN: the agent does not see a login in a keychain.',
  },
  {
    name: 'openai',
    models: /^(?:gpt-|chatgpt-|codex-|o\d)/,
    wires: ['openai-chat', 'openai-responses'],
    credentials: [
      ['OPENAI_API_KEY', 'api-key'],
      ['ATOMIC_AGENTS_OPENAI_KEY', 'api-key'],
    ],
    dummies: { 'api-key': 'sk-proj-', 'auth-token': 'sk-proj-', oauth: 'sk-proj-' },
  },
]

/** Every wire. */
export const WIRE_NAMES: readonly WireName[] = MAKERS.flatMap(({ wires }) => wires)

/** The API of other servers, which are compatible with it. */
export const COMPATIBLE_WIRE: WireName = 'openai-chat'

/** The wire whose credential may be that of a subscription. */
export const SUBSCRIPTION_WIRE: WireName = 'anthropic-messages'

/** Whose API a wire is. */
export function makerOfWire(wire: WireName): Maker {
  return MAKERS.find(({ wires }) => wires.includes(wire)) as Maker
}

/** Who makes a model of this name; `null` rather than a guess. */
export function makerOfModel(model: string): Maker | null {
  return MAKERS.find(({ models }) => models.test(model)) ?? null
}

/** Whether a word begins the ids of someone's models. */
export function isModelPrefix(word: string): boolean {
  return MAKERS.some(({ prefix }) => prefix === word)
}

/** Variables that may hold a credential. */
export function credentialVariables(): readonly string[] {
  return MAKERS.flatMap(({ credentials }) => credentials.map(([name]) => name))
}
