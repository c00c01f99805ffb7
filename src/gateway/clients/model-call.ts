import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { JsonObject } from '../../lib/json.ts'
import { apiModel, type LeaseGrant } from '../leases/lease.ts'

/** One question to a model: one system prompt, one message, no tools. */
export interface ModelCall {
  readonly model: string
  readonly system: string
  readonly user: string
  /** Shown after the text. */
  readonly images?: readonly ModelImage[]
  readonly maxTokens: number
  /** Whether the limit goes by the older name that some compatible servers know alone. */
  readonly isOldLimit?: true
  /** `null` leaves it to the model. */
  readonly temperature: number | null
  /** JSON schema that the answer is forced to; `null` for free text. */
  readonly schema: JsonObject | null
}

/** An image as an API takes it. */
export interface ModelImage {
  readonly mediaType: 'image/gif' | 'image/jpeg' | 'image/png' | 'image/webp'
  readonly base64: string
}

/** What came back. */
export type ModelReply =
  | { readonly kind: 'text'; readonly text: string; readonly stop: 'end' | 'max-tokens' | 'refusal' }
  /** No answer: one sentence. `final`: the next request would fare the same. */
  | { readonly kind: 'failed'; readonly problem: string; readonly final: boolean }

/** Of an answer in a shape that no model's has: the gateway says what came instead, and from where. */
export const NO_RESPONSE: ModelReply = {
  kind: 'failed',
  problem: 'The API returned something that is not a model response.',
  final: true,
}

/** Asks a model through the gateway, which holds the key. Loads the API's own client when it is first called. */
export type AskModel = (grant: LeaseGrant, call: ModelCall, signal: AbortSignal) => Promise<ModelReply>

/** Half a second, then twice as long each time up to eight: more than a minute in all. */
export const RETRIES = 10
export const TIMEOUT_MS = 180_000

/** Parts of an API error that both clients tell. */
export interface ApiFailure {
  /** `undefined` when the connection failed. */
  readonly status: number | undefined
  readonly message: string
}

/** Reads the error of a client. Its status is typed more loosely than it is. */
export function toApiFailure({ status, message }: { readonly status: unknown; readonly message: string }): ApiFailure {
  return { status: typeof status === 'number' ? status : undefined, message }
}

/** Asks, and asks again without each setting that the API refuses. Errors other than the API's are thrown. */
export async function askUntilAccepted(
  call: ModelCall,
  ask: (call: ModelCall) => Promise<ModelReply>,
  describeError: (error: unknown) => ApiFailure | Promise<ApiFailure>,
  signal: AbortSignal,
): Promise<ModelReply> {
  try {
    return await ask({ ...call, model: apiModel(call.model) })
  } catch (error) {
    signal.throwIfAborted()
    const failure = await describeError(error)
    const easier = withoutRefused(call, failure)
    return easier === null ? failedReply(failure) : askUntilAccepted(easier, ask, describeError, signal)
  }
}

/** Words an API error as a reply. */
function failedReply({ status, message }: ApiFailure): ModelReply {
  if (status === undefined) return { kind: 'failed', problem: 'The connection failed.', final: false }
  const final = status < 500 && status !== 408 && status !== 409 && status !== 429
  return { kind: 'failed', problem: message, final }
}

/**
 * The call without the setting that an API has refused; `null` when it has refused something else.
 *
 * Newer models take no temperature, and not everything that is compatible can force an answer's shape.
 */
function withoutRefused(call: ModelCall, { status, message }: ApiFailure): ModelCall | null {
  if (status !== 400 && status !== 422) return null
  if (call.isOldLimit !== true && /max_completion_tokens/i.test(message)) return { ...call, isOldLimit: true }
  if (call.temperature !== null && /temperature/i.test(message)) return { ...call, temperature: null }
  if (call.schema !== null && /response_format|output_config|output_format|json_schema/i.test(message))
    return { ...call, schema: null }
  return null
}

/** A `fetch` whose requests go to the unix socket of a session, whatever the host of their address. */
export function fetchOverSocket(socketPath: string): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const { method = 'GET', headers, body, signal } = init
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest({
        socketPath,
        agent: false,
        method,
        path: pathname + search,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal == null ? {} : { signal }),
      })
      request.once('response', resolve).once('error', reject)
      // The clients write their bodies as JSON.
      request.end(typeof body === 'string' ? body : undefined)
    })
    return new Response(Readable.toWeb(incoming) as ReadableStream, {
      status: incoming.statusCode ?? 502,
      headers: Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    })
  }
}
