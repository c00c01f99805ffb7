import { askAnthropic, createAnthropicClient } from '../../gateway/clients/anthropic.ts'
import { askOpenai } from '../../gateway/clients/openai.ts'
import { isFamily, resolveFamily } from '../model-families.ts'
import type { AskModel } from '../../gateway/clients/model-call.ts'
import type { JudgeCall, JudgeProvider, JudgeReply } from './provider.ts'

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
  const reply = await ask(lease.grant, { ...prompt, model, maxTokens, temperature, schema }, signal)
  if (reply.kind === 'failed') return reply
  return reply.stop === 'end' ? { kind: 'text', text: reply.text } : { kind: 'stopped', why: reply.stop }
}
