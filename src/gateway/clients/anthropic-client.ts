import { BaseAnthropic } from '@anthropic-ai/sdk/client'
import { APIError } from '@anthropic-ai/sdk/error'
import { Messages } from '@anthropic-ai/sdk/resources/messages'
import { Models } from '@anthropic-ai/sdk/resources/models'
import { RETRIES, TIMEOUT_MS, fetchOverSocket } from './model-call.ts'
import type { LeaseGrant } from '../leases/lease.ts'

/** The parts of Anthropic's API that are asked. */
export interface AnthropicClient {
  readonly messages: Messages
  readonly models: Models
}

/** Only the two parts: the whole client is a megabyte of code that a worker would read for one request. */
export function openAnthropicClient({ socket, token, credential }: LeaseGrant): AnthropicClient {
  const client = new BaseAnthropic({
    ...(credential === 'api-key' ? { apiKey: token } : { authToken: token }),
    baseURL: 'http://gateway.invalid',
    fetch: fetchOverSocket(socket),
    maxRetries: RETRIES,
    timeout: TIMEOUT_MS,
    logLevel: 'off',
  })
  return { messages: new Messages(client), models: new Models(client) }
}

/** Whether the API, or the way to it, refused. */
export function isAnthropicError(error: unknown): error is APIError {
  return error instanceof APIError
}
