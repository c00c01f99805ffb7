import { setMaxListeners } from 'node:events'
import { askAnthropic, createAnthropicClient } from '../../gateway/clients/anthropic.ts'
import { askOpenai } from '../../gateway/clients/openai.ts'
import { findCredential } from '../../gateway/secrets/credentials.ts'
import { findDelay } from '../../gateway/pace/delay.ts'
import { missingCredential } from './wire-needs.ts'
import { isFamily, resolveFamily } from './model-families.ts'
import type { AskModel } from '../../gateway/clients/model-call.ts'
import type { MeterReading } from '../../gateway/leases/lease.ts'
import type { JudgeCall, JudgeProvider, JudgeProviderKind, JudgeReply } from './provider.ts'

/** Anthropic's API. It does not take the token of a subscription. */
export const anthropic: JudgeProviderKind = {
  wire: 'anthropic-messages',
  recognises: (_, __, wire) => wire === 'anthropic-messages',
  missing(environment) {
    const missing = missingCredential('anthropic-messages', environment)
    const isToken = missing === null && findCredential('anthropic-messages', environment).kind === 'oauth'
    return isToken ? 'needs ANTHROPIC_API_KEY, because the API does not accept a subscription token' : missing
  },
  hint(environment) {
    return this.missing(environment) === null
      ? 'A credential for Anthropic is set: choose a judge it can reach, such as --judge claude-sonnet.'
      : null
  },
  open: () => Promise.resolve(anthropicProvider),
}

/** The API of OpenAI, or one that is compatible with it. */
export const openai: JudgeProviderKind = {
  wire: 'openai-chat',
  recognises: (_, __, wire) => wire !== 'anthropic-messages',
  missing: (environment) => missingCredential('openai-chat', environment),
  hint: (environment) =>
    missingCredential('openai-chat', environment) === null
      ? 'A credential for OpenAI is set: choose a judge it can reach with --judge openai:MODEL.'
      : null,
  open: () => Promise.resolve(openaiProvider),
}

/** The Messages API through the gateway, which holds the key. The answer's shape is forced by the API. */
export const anthropicProvider: JudgeProvider = {
  wire: 'anthropic-messages',
  async resolveModel(model, { grant }, signal) {
    if (!isFamily(model)) return model
    const { models } = await createAnthropicClient(grant)
    const listed = await models.list({ limit: 1000 }, { signal }).then(
      (page) => page.data,
      () => [],
    )
    signal.throwIfAborted()
    return resolveFamily(model, listed)
  },
  ask: (call) => askApi(askAnthropic, call),
}

/** The Chat Completions API, of OpenAI or compatible with it. */
export const openaiProvider: JudgeProvider = {
  wire: 'openai-chat',
  resolveModel: (model) => Promise.resolve(model),
  ask: (call) => askApi(askOpenai, call),
}

async function askApi(
  ask: AskModel,
  { prompt, model, maxTokens, temperature, schema, lease, signal }: JudgeCall,
): Promise<JudgeReply> {
  const deadline = AbortSignal.timeout(PATIENCE_MS)
  const either = AbortSignal.any([signal, deadline])
  // The client adds a listener for each time that it tries again.
  setMaxListeners(0, either)
  const call = { ...prompt, model, maxTokens, temperature, schema }
  const reply = await ask(lease.grant, call, either).catch((error: unknown) => {
    if (signal.aborted || !deadline.aborted) throw error
    return null
  })
  // What the client says is that the connection failed; the gateway knows why.
  if (reply === null) return { kind: 'failed', problem: describeSilence(await lease.meter()), final: true }
  if (reply.kind === 'failed') return reply
  return reply.stop === 'end' ? { kind: 'text', text: reply.text } : { kind: 'stopped', why: reply.stop }
}

function describeSilence(meter: MeterReading): string {
  const delay = findDelay(meter)
  return `The judge was not answered within ${PATIENCE_MS / 60_000} minutes${delay === null ? '' : `, ${delay.clause}`}.`
}

/** Of one question, with all that the client and the gateway try again. */
const PATIENCE_MS = 10 * 60_000
