import { judgeProviders } from '../../judges/providers/registry.ts'
import { makerOfModel, makerOfWire } from '../../gateway/makers.ts'
import type { JudgeProviderKind, JudgeProviders } from '../../judges/providers/provider.ts'

/** Who makes a model, by what answered or else by its name; `null` rather than a guess. */
export function providerOf(
  model: string | null,
  provider: string | null = null,
  known: JudgeProviders = judgeProviders,
): string | null {
  // A person wrote the scenario, whatever model it plays.
  if (model === 'scenario') return null
  if (provider !== null) return makerOf(known[provider]) ?? provider
  if (model?.startsWith('gemini-') === true) return 'google'
  return makerOfModel(model ?? '')?.name ?? null
}

// A judge that is a program asks its maker's models.
function makerOf(kind: JudgeProviderKind | undefined): string | null {
  return kind === undefined ? null : makerOfWire(kind.wire).name
}
