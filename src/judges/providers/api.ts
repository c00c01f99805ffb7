import { setMaxListeners } from 'node:events'
import { createAnthropicClient } from '../../gateway/clients/anthropic.ts'
import { findCredential, missingCredential } from '../../gateway/credentials.ts'
import { findDelay } from '../../gateway/rate-limiter.ts'
import { apiOfWire } from '../../gateway/wires/apis.ts'
import {
  isFamily,
  resolveFamily,
  type JudgeCall,
  type JudgeProvider,
  type JudgeProviderKind,
  type JudgeReply,
} from './provider.ts'
import { apiModel, type MeterReading } from '../../gateway/leases/lease.ts'

/** A judge that is asked over the API of a wire, which the gateway has the key of. */
export function apiKind(wire: string, title: string, example = `${wire}:MODEL`): JudgeProviderKind {
  const api = apiOfWire(wire)
  return {
    wire,
    recognises: (_, __, modelWire) => apiOfWire(modelWire) === api,
    missing: (environment) => missingCredential(wire, environment),
    hint(environment) {
      const isThere = api.credentials.length > 0 && this.missing(environment) === null
      return isThere ? `A credential for ${title} is set: choose a judge it can reach with --judge ${example}.` : null
    },
    open: () => Promise.resolve(apiProvider(wire)),
  }
}

/** Anthropic's API. It does not take the token of a subscription. */
export const anthropic: JudgeProviderKind = {
  ...apiKind('anthropic-messages', 'Anthropic', 'claude-sonnet'),
  missing(environment) {
    const missing = missingCredential('anthropic-messages', environment)
    const isToken = missing === null && findCredential('anthropic-messages', environment).kind === 'oauth'
    return isToken ? 'needs ANTHROPIC_API_KEY, because the API does not accept a subscription token' : missing
  },
  open: () => Promise.resolve(anthropicProvider),
}

/** As it is asked live, with the families of models that it knows. */
export const anthropicProvider: JudgeProvider = {
  ...apiProvider('anthropic-messages'),
  async resolveModel(name, { grant }, signal) {
    const model = apiModel(name)
    if (!isFamily(model)) return model
    const { models } = await createAnthropicClient(grant)
    const listed = await models.list({ limit: 1000 }, { signal }).then(
      (page) => page.data,
      () => [],
    )
    signal.throwIfAborted()
    return resolveFamily(model, listed)
  },
}

/** A judge over the API of a wire. */
export function apiProvider(wire: string): JudgeProvider {
  return { wire, resolveModel: (model) => Promise.resolve(model), ask: (call) => askApi(wire, call) }
}

async function askApi(
  wire: string,
  { prompt, model, maxTokens, temperature, schema, lease, signal }: JudgeCall,
): Promise<JudgeReply> {
  const deadline = AbortSignal.timeout(PATIENCE_MS)
  const either = AbortSignal.any([signal, deadline])
  // The client adds a listener for each time that it tries again.
  setMaxListeners(0, either)
  const call = { ...prompt, model, maxTokens, temperature, schema }
  const { findWire } = await import('../../gateway/wires/wires.ts')
  const reply = await findWire(wire)
    .ask(lease.grant, call, either)
    .catch((error: unknown) => {
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
