import type * as Sdk from '@anthropic-ai/sdk'
import type { LeaseGrant } from '../lease.ts'
import { failedReply, RETRIES, TIMEOUT_MS, withoutRefused } from './model-call.ts'
import type { ApiFailure, AskModel, ModelCall, ModelReply } from './model-call.ts'

/** Asks over the Messages API. */
export const askAnthropic: AskModel = async (grant, call, signal) => {
  const { client, sdk } = await createAnthropicClient(grant)
  const ask = async (asked: ModelCall): Promise<ModelReply> => {
    try {
      return readMessage(await client.messages.create(writeBody(asked), { signal }))
    } catch (error) {
      signal.throwIfAborted()
      const failure = describeError(error, sdk)
      const easier = withoutRefused(asked, failure)
      return easier === null ? failedReply(failure) : ask(easier)
    }
  }
  return ask(call)
}

/** Loads the client: that takes as long as all else that a worker loads, and many a worker asks nothing. */
export async function createAnthropicClient({
  port,
  token,
  credential,
}: LeaseGrant): Promise<{ client: Sdk.Anthropic; sdk: typeof Sdk }> {
  const sdk = await import('@anthropic-ai/sdk')
  const client = new sdk.Anthropic({
    ...(credential === 'api-key' ? { apiKey: token } : { authToken: token }),
    baseURL: `http://127.0.0.1:${port}`,
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
  temperature,
  schema,
}: ModelCall): Sdk.Anthropic.MessageCreateParamsNonStreaming {
  return {
    model,
    max_tokens: maxTokens,
    system,
    messages: [{ role: 'user', content: user }],
    ...(temperature === null ? {} : { temperature }),
    ...(schema === null ? {} : { output_config: { format: { type: 'json_schema', schema: { ...schema } } } }),
  }
}

function readMessage({ content, stop_reason: reason }: Sdk.Anthropic.Message): ModelReply {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const isCut = reason === 'max_tokens' || reason === 'model_context_window_exceeded'
  return { kind: 'text', text, stop: reason === 'refusal' ? 'refusal' : isCut ? 'max-tokens' : 'end' }
}

function describeError(error: unknown, { APIError }: typeof Sdk): ApiFailure {
  if (!(error instanceof APIError)) throw error
  const status: unknown = error.status
  return { status: typeof status === 'number' ? status : undefined, message: error.message }
}
