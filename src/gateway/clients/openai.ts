import type * as Sdk from 'openai'
import { isJsonObject, objectOf, objectsOf, stringOf, tryParseJson } from '../../lib/json.ts'
import type { LeaseGrant } from '../leases/lease.ts'
import { isContent } from '../wires/openai.ts'
import {
  NO_RESPONSE,
  RETRIES,
  TIMEOUT_MS,
  askUntilAccepted,
  fetchOverSocket,
  toApiFailure,
  type ApiFailure,
  type AskModel,
  type ModelCall,
  type ModelImage,
  type ModelReply,
} from './model-call.ts'

/** Asks over the Chat Completions API, of OpenAI or of whatever `OPENAI_BASE_URL` of the parent names. */
export const askOpenai: AskModel = async (grant, call, signal) => {
  const { client, sdk } = await createClient(grant)
  const ask = async (modelCall: ModelCall): Promise<ModelReply> =>
    readCompletion(await (await client.chat.completions.create(writeBody(modelCall), { signal }).asResponse()).text())
  return askUntilAccepted(call, ask, (error) => describeError(error, sdk), signal)
}

async function createClient({ socket, token }: LeaseGrant): Promise<{ client: Sdk.OpenAI; sdk: typeof Sdk }> {
  const sdk = await import('openai')
  const client = new sdk.OpenAI({
    apiKey: token,
    // Nothing of the parent's account: the gateway decides where a request goes.
    organization: null,
    project: null,
    baseURL: 'http://gateway.invalid/v1',
    fetch: fetchOverSocket(socket),
    maxRetries: RETRIES,
    timeout: TIMEOUT_MS,
    logLevel: 'off',
  })
  return { client, sdk }
}

function writeBody({
  model,
  system,
  user,
  maxTokens,
  isOldLimit,
  temperature,
  schema,
  images = [],
}: ModelCall): Sdk.OpenAI.ChatCompletionCreateParamsNonStreaming {
  return {
    model,
    [isOldLimit === true ? 'max_tokens' : 'max_completion_tokens']: maxTokens,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: images.length === 0 ? user : [{ type: 'text', text: user }, ...images.map(toPart)] },
    ],
    ...(temperature === null ? {} : { temperature }),
    ...(schema === null
      ? {}
      : {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'answer', strict: true, schema: { ...schema } },
          },
        }),
  }
}

function toPart({ mediaType, base64 }: ModelImage): Sdk.OpenAI.ChatCompletionContentPartImage {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${base64}` } }
}

function readCompletion(body: string): ModelReply {
  const [choice] = objectsOf(objectOf(tryParseJson(body))['choices'])
  const message = choice?.['message']
  if (choice === undefined || !isJsonObject(message) || !isContent(message['content'])) return NO_RESPONSE
  const reason = choice['finish_reason']
  const refusal = stringOf(message['refusal'])
  const isRefusal = reason === 'content_filter' || refusal !== ''
  const text = stringOf(message['content']) || refusal
  return { kind: 'text', text, stop: isRefusal ? 'refusal' : reason === 'length' ? 'max-tokens' : 'end' }
}

function describeError(error: unknown, { APIError }: typeof Sdk): ApiFailure {
  if (!(error instanceof APIError)) throw error
  return toApiFailure(error)
}
