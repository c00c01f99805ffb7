import { AgentEvalsError } from '../../lib/errors.ts'
import type { CredentialKind } from '../leases/lease.ts'

/** Whose API a wire leads to, where it is, and what it takes. */
export interface ModelApi {
  /** As the table of prices and reports name it. */
  readonly name: string
  /** Variable of the parent's environment that holds its base URL; `null` where none does. */
  readonly variable: string | null
  /** The base URL where that variable is not set. */
  readonly official: string
  /** Beginning of the wire's paths that a base URL of this API holds already; empty when it holds none. */
  readonly mount: string
  /** Whether it serves the models of others, so that its address tells their prices. */
  readonly isReseller?: true
  /** How its models are called; absent where only the user names them. */
  readonly models?: RegExp
  /** Aliases that engines resolve by themselves, perhaps to a model without a price. */
  readonly aliases?: readonly string[]
  /** Whether the versions in its models' ids have dashes: some engines write dots. */
  readonly dashedVersions?: true
  /** Variables that may hold a credential, in the order in which they count; none where the API takes none. */
  readonly credentials: readonly (readonly [variable: string, kind: CredentialKind])[]
  /** How its credentials begin: a dummy has the same kind. */
  readonly dummies: Readonly<Record<CredentialKind, string>>
  /** Header that carries a key without `Bearer`. */
  readonly keyHeader?: string
  /** What users without a key may do, as a sentence. */
  readonly subscription?: string
}

/** The API of Anthropic. */
export const ANTHROPIC: ModelApi = {
  name: 'anthropic',
  variable: 'ANTHROPIC_BASE_URL',
  official: 'https://api.anthropic.com',
  mount: '',
  models: /^(?:claude|(?:opus|sonnet|haiku)(?:$|-))/,
  aliases: ['haiku', 'opus', 'sonnet'],
  dashedVersions: true,
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
}

/** The API of OpenAI, and of what `OPENAI_BASE_URL` names. */
export const OPENAI: ModelApi = {
  name: 'openai',
  variable: 'OPENAI_BASE_URL',
  official: 'https://api.openai.com/v1',
  mount: '/v1',
  models: /^(?:gpt-|chatgpt-|codex-|o\d)/,
  credentials: [
    ['OPENAI_API_KEY', 'api-key'],
    ['ATOMIC_AGENTS_OPENAI_KEY', 'api-key'],
  ],
  dummies: { 'api-key': 'sk-proj-', 'auth-token': 'sk-proj-', oauth: 'sk-proj-' },
}

const OURS = 'agent-evals-'

/** What APIs share that are compatible with that of OpenAI. */
const COMPATIBLE = {
  variable: null,
  mount: '/v1',
  dummies: { 'api-key': OURS, 'auth-token': OURS, oauth: OURS },
} as const

const GOOGLE: ModelApi = {
  ...COMPATIBLE,
  name: 'google',
  variable: 'GEMINI_BASE_URL',
  official: 'https://generativelanguage.googleapis.com/v1beta/openai',
  models: /^gem(?:ini|ma)-/,
  credentials: [
    ['GEMINI_API_KEY', 'api-key'],
    ['GOOGLE_API_KEY', 'api-key'],
  ],
}

// Workers need these, and not the code that speaks them. Of several wires to one API, the usual one is first.
const APIS = new Map([
  ['anthropic-messages', ANTHROPIC],
  ['openai-chat', OPENAI],
  ['openai-responses', OPENAI],
  ['google', GOOGLE],
])

/** The names of all wires. */
export const WIRE_NAMES: readonly string[] = [...APIS.keys()]

/** A server that is compatible with OpenAI's API, as a user names it. */
export interface JudgeEndpoint {
  /** Its base URL, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string
  /** The environment variable that holds its key; absent where it takes none. */
  readonly key?: string | undefined
}

/** Adds the servers that the configuration names: this process can ask them from now on. */
export function useEndpoints(endpoints: Readonly<Record<string, JudgeEndpoint>>): void {
  for (const [name, { url: official, key }] of Object.entries(endpoints)) {
    const credentials = key === undefined ? [] : ([[key, 'api-key']] as const)
    addedApis.set(name, { ...COMPATIBLE, name, official, isReseller: true, credentials })
  }
}

const addedApis = new Map<string, ModelApi>()

/** The names of the servers that were added. */
export function endpointNames(): readonly string[] {
  return [...addedApis.keys()]
}

/** The API that a wire leads to. */
export function apiOfWire(wire: string): ModelApi {
  const api = APIS.get(wire) ?? addedApis.get(wire)
  if (api !== undefined) return api
  throw new AgentEvalsError('unsupported-engine', `The gateway does not support the wire "${wire}".`)
}

/** The wire that a model is asked over: its API's usual one, else the one that most servers are compatible with. */
export function wireOfModel(model: string): string {
  return [...APIS].find(([, { models }]) => models?.test(model) === true)?.[0] ?? 'openai-chat'
}

/** Whose model this is, by its name; `null` rather than a guess. */
export function apiOfModel(model: string): ModelApi | null {
  return listApis().find(({ models }) => models?.test(model) === true) ?? null
}

/** The APIs that wires lead to. */
export function listApis(): readonly ModelApi[] {
  return [...new Set([...APIS.values(), ...addedApis.values()])]
}

/** Variables that may hold a credential. */
export function credentialVariables(): readonly string[] {
  return listApis().flatMap(({ credentials }) => credentials.map(([name]) => name))
}
