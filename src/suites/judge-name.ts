/** Who can judge. */
export type JudgeProviderName = (typeof JUDGE_PROVIDERS)[number]

/** Whatever is written before the first colon of a judge. */
export const JUDGE_PROVIDERS = ['anthropic', 'claude-code', 'openai', 'codex'] as const

/** A judge as it is written, `[provider:]model`. */
export interface JudgeName {
  readonly provider: JudgeProviderName | null
  readonly model: string
}

/** Reads a judge, or says what is wrong with it: found out after the agent's run, a mistake would cost that run. */
export function readJudgeName(text: string): JudgeName | { readonly problem: string } {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(0, colon))
  const model = text.slice(colon + 1)
  if (model.trim() === '') return { problem: 'names no model. Write [provider:]model, such as anthropic:claude-sonnet' }
  if (colon === -1) return { provider: null, model }
  const provider = JUDGE_PROVIDERS.find((known) => known === name)
  if (provider !== undefined) return { provider, model }
  return { problem: `names the provider "${name}". There are anthropic, claude-code, openai and codex` }
}
