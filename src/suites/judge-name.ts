import { similarName } from '../documents/nearest-name.ts'

/** Who can judge. */
export type JudgeProviderName = (typeof JUDGE_PROVIDER_NAMES)[number]

/** What may stand before the first colon of a judge: the names of the list in judges/providers/registry.ts. */
export const JUDGE_PROVIDER_NAMES = ['anthropic', 'claude-code', 'openai', 'codex'] as const

/** A judge as it is written, `[provider:]model`. */
export interface JudgeName {
  readonly provider: string | null
  readonly model: string
}

/** Reads a judge, or says what is wrong with it: found out after the agent's run, a mistake would cost that run. */
export function readJudgeName(
  text: string,
  providers: readonly string[] = JUDGE_PROVIDER_NAMES,
): JudgeName | { readonly problem: string } {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(0, colon))
  const model = text.slice(colon + 1)
  if (model.trim() === '') return { problem: 'names no model. Write [provider:]model, such as anthropic:claude-sonnet' }
  if (colon === -1) return { provider: null, model }
  if (providers.includes(name)) return { provider: name, model }
  const near = similarName(name, providers)
  const hint = near === null ? '' : `Did you mean ${JSON.stringify(near)}? `
  return {
    problem: `names the provider "${name}". ${hint}Use ${providers.slice(0, -1).join(', ')} or ${providers.at(-1)}`,
  }
}
