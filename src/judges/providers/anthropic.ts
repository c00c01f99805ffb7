import type * as Sdk from '@anthropic-ai/sdk'
import { isFamily, resolveFamily } from '../model-families.ts'
import { ANSWER_SCHEMA } from '../schema.ts'
import type { LeaseGrant } from '../../gateway/lease.ts'
import type { JudgeProvider, JudgeReply } from './provider.ts'

/** The Messages API through the gateway, which holds the key. The answer's shape is forced by the API. */
export const anthropicProvider: JudgeProvider = {
  wire: 'anthropic-messages',
  async resolveModel(model, { grant }, signal) {
    if (!isFamily(model)) return model
    const { client } = await createClient(grant)
    const listed = await client.models.list({ limit: 1000 }, { signal }).then(
      (page) => page.data,
      () => [],
    )
    signal.throwIfAborted()
    return resolveFamily(model, listed)
  },
  async ask({ prompt, model, maxTokens, lease, signal }) {
    const { client, sdk } = await createClient(lease.grant)
    try {
      const message = await client.messages.create(
        {
          model,
          max_tokens: maxTokens,
          system: prompt.system,
          messages: [{ role: 'user', content: prompt.user }],
          output_config: { format: { type: 'json_schema', schema: { ...ANSWER_SCHEMA } } },
        },
        { signal },
      )
      return readMessage(message)
    } catch (error) {
      signal.throwIfAborted()
      return describeError(error, sdk)
    }
  },
}

// Loading it takes as long as all else that a worker loads, and many a worker judges nothing.
async function createClient({
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

// Half a second, then twice as long each time up to eight: more than a minute in all.
const RETRIES = 10
const TIMEOUT_MS = 180_000

function readMessage({ content, stop_reason: stop }: Sdk.Anthropic.Message): JudgeReply {
  if (stop === 'refusal') return { kind: 'stopped', why: 'refusal' }
  if (stop === 'max_tokens' || stop === 'model_context_window_exceeded') return { kind: 'stopped', why: 'max-tokens' }
  return { kind: 'text', text: content.map((block) => (block.type === 'text' ? block.text : '')).join('') }
}

function describeError(error: unknown, { APIConnectionError, APIError }: typeof Sdk): JudgeReply {
  if (error instanceof APIConnectionError) return { kind: 'failed', problem: 'The connection failed.', final: false }
  if (!(error instanceof APIError)) throw error
  const status: unknown = error.status
  const final = typeof status === 'number' && status < 500 && status !== 408 && status !== 409 && status !== 429
  return { kind: 'failed', problem: error.message, final }
}
