import type { WireName } from '../gateway/lease.ts'

/** The API that a model is asked over: Anthropic's own for its models, else the one that everybody is compatible with. */
export function wireOfModel(model: string): WireName {
  return ANTHROPIC.test(model) ? 'anthropic-messages' : 'openai-chat'
}

const ANTHROPIC = /^(?:claude|(?:opus|sonnet|haiku)(?:$|-))/
