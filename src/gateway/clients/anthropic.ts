import type { ImageBlockParam, MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages'
import { objectOf, objectsOf, stringOf, tryParseJson } from '../../lib/json.ts'
import type { LeaseGrant } from '../leases/lease.ts'
import {
  NO_RESPONSE,
  askUntilAccepted,
  toApiFailure,
  type ApiFailure,
  type AskModel,
  type ModelCall,
  type ModelImage,
  type ModelReply,
} from './model-call.ts'
import type { AnthropicClient } from './anthropic-client.ts'

/** Asks over the Messages API. */
export const askAnthropic: AskModel = async (grant, call, signal) => {
  const { messages } = await createAnthropicClient(grant)
  const ask = async (modelCall: ModelCall): Promise<ModelReply> =>
    readMessage(await (await messages.create(writeBody(modelCall), { signal }).asResponse()).text())
  return askUntilAccepted(call, ask, describeError, signal)
}

/** Loads the client only now: many a worker asks nothing. */
export async function createAnthropicClient(grant: LeaseGrant): Promise<AnthropicClient> {
  const { openAnthropicClient } = await import('./anthropic-client.ts')
  return openAnthropicClient(grant)
}

function writeBody({
  model,
  system,
  user,
  maxTokens,
  temperature,
  schema,
  images = [],
}: ModelCall): MessageCreateParamsNonStreaming {
  return {
    model,
    max_tokens: maxTokens,
    system,
    messages: [
      { role: 'user', content: images.length === 0 ? user : [{ type: 'text', text: user }, ...images.map(toBlock)] },
    ],
    ...(temperature === null ? {} : { temperature }),
    ...(schema === null ? {} : { output_config: { format: { type: 'json_schema', schema: { ...schema } } } }),
  }
}

function toBlock({ mediaType, base64 }: ModelImage): ImageBlockParam {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } }
}

function readMessage(body: string): ModelReply {
  const { content, stop_reason: reason } = objectOf(tryParseJson(body))
  if (!Array.isArray(content)) return NO_RESPONSE
  const text = objectsOf(content)
    .map((block) => (block['type'] === 'text' ? stringOf(block['text']) : ''))
    .join('')
  const isCut = reason === 'max_tokens' || reason === 'model_context_window_exceeded'
  return { kind: 'text', text, stop: reason === 'refusal' ? 'refusal' : isCut ? 'max-tokens' : 'end' }
}

async function describeError(error: unknown): Promise<ApiFailure> {
  const { isAnthropicError } = await import('./anthropic-client.ts')
  if (!isAnthropicError(error)) throw error
  return toApiFailure(error)
}
