/** Who makes a model, by what answered or else by its name; `null` rather than a guess. */
export function providerOf(model: string | null, provider: string | null = null): string | null {
  // A person wrote the scenario, whatever model it plays.
  if (model === 'scenario') return null
  if (provider !== null) return RUNTIME_PROVIDERS[provider] ?? provider
  return PROVIDERS.find(([pattern]) => pattern.test(model ?? ''))?.[1] ?? null
}

const RUNTIME_PROVIDERS: Readonly<Record<string, string>> = { 'claude-code': 'anthropic', codex: 'openai' }
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, 'anthropic'],
  [/^(?:gpt-|chatgpt-|codex-|o\d)/, 'openai'],
  [/^gemini-/, 'google'],
]
