import { hasPrice, resolveAlias } from '../../gateway/budget/price.ts'
import type { AcquiredLease } from '../../gateway/control/client.ts'
import type { CredentialKind, WireName } from '../../gateway/leases/lease.ts'
import type { JsonObject, JsonValue } from '../../lib/json.ts'
import type { RefusedSandbox, SandboxDecision } from '../../sandbox/sandbox.ts'
import type { ModelImage } from '../../gateway/clients/model-call.ts'

/** A question in the words of a request. */
export interface JudgePrompt {
  /** Ours alone, the same for every case. */
  readonly system: string
  readonly user: string
  /** Shown after the text; a judge that is asked over a command line cannot be shown any. */
  readonly images?: readonly ModelImage[]
}

/** One request to a judge. */
export interface JudgeCall {
  readonly prompt: JudgePrompt
  /** Id of the model, or a family that the provider knows. */
  readonly model: string
  readonly maxTokens: number
  /** `null` leaves it to the model. */
  readonly temperature: number | null
  /** What the answer is forced to. */
  readonly schema: JsonObject
  readonly lease: AcquiredLease
  readonly signal: AbortSignal
}

/** What came back. */
export type JudgeReply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: JsonValue }
  /** An answer in no usable form: one sentence. */
  | { readonly kind: 'malformed'; readonly problem: string }
  | { readonly kind: 'stopped'; readonly why: 'max-tokens' | 'refusal' }
  /** No answer: one sentence. `final`: the next request would fare the same. */
  | { readonly kind: 'failed'; readonly problem: string; readonly final: boolean }

/** A kind of judge: when it is chosen, what it needs, and how it is reached. A new one is a line in registry.ts. */
export interface JudgeProviderKind {
  /** Wire of the gateway that it talks to. */
  readonly wire: WireName
  /** Whether it is asked where only a model and its API are known; the first of the list that recognises them is. */
  recognises(model: string, credential: CredentialKind | null, wire: WireName): boolean
  /** Why it cannot be asked with these variables, such as `needs OPENAI_API_KEY`; `null` when it can. */
  missing(environment: Environment): string | null
  /** How to choose it with the credentials of these variables, one sentence; `null` where they are not for it. */
  hint(environment: Environment): string | null
  /** Finds what it needs, such as its program. */
  open(context: ProviderContext): Promise<JudgeProvider>
}

/** Where a judge's program is looked for, and what confines it. */
export interface ProviderContext {
  /** Executables by engine, as the option `engines` has them. */
  readonly engines: Readonly<Record<string, string>>
  readonly root: string
  readonly sandbox: RefusedSandbox | SandboxDecision
}

type Environment = Readonly<Record<string, string | undefined>>

/** A way to reach a judge. Whatever it does goes through the gateway. */
export interface JudgeProvider {
  /** Wire of the gateway that it talks to. */
  readonly wire: WireName
  /** Whether it reaches the gateway by a port of the host, and not by the socket alone. @default false */
  readonly needsPort?: boolean
  /** Tool that its model calls to give a structured answer; absent where the answer is a text. */
  readonly answerTool?: string
  /** Resolves a model's name to its id. */
  resolveModel(model: string, lease: AcquiredLease, signal: AbortSignal): Promise<string>
  ask(call: JudgeCall): Promise<JudgeReply>
}

/** A model as the upstream lists it. */
interface ListedModel {
  readonly id: string
  /** ISO 8601. */
  readonly created_at: string
}

/** Whether a name is that of a family of models, such as `claude-sonnet`. */
export function isFamily(model: string): boolean {
  return FAMILIES.has(model)
}

/** The newest model of a family that the upstream lists and that has a price, else the newest that has one. */
export function resolveFamily(family: string, listed: readonly ListedModel[]): string {
  const members = listed.filter(({ id }) => id.startsWith(`${family}-`) && hasPrice(id, 'anthropic-messages'))
  const [newest] = members.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  return newest?.id ?? resolveAlias(family)
}

/** The name by which Claude Code itself knows a family; other models keep theirs. */
export function claudeCodeAlias(model: string): string {
  return isFamily(model) ? model.slice('claude-'.length) : model
}

const FAMILIES: ReadonlySet<string> = new Set(['claude-haiku', 'claude-opus', 'claude-sonnet'])
