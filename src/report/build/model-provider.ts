import { judgeProviders } from '../../judges/providers/registry.ts'
import { makerOfModel, makerOfWire } from '../../gateway/makers.ts'
import type { JudgeProviderKind } from '../../judges/providers/provider.ts'

/** Who makes a model, by what answered or else by its name; `null` rather than a guess. */
export function providerOf(model: string | null, provider: string | null = null): string | null {
  // A person wrote the scenario, whatever model it plays.
  if (model === 'scenario') return null
  if (provider !== null) return makerOf(judgeProviders[provider]) ?? provider
  if (model?.startsWith('gemini-') === true) return 'google'
  return makerOfModel(model ?? '')?.name ?? null
}

// A judge that is a program asks its maker's models.
function makerOf(kind: JudgeProviderKind | undefined): string | null {
  return kind === undefined ? null : makerOfWire(kind.wire).name
}
