import { judgeProviders } from '../../judges/providers/registry.ts'
import { apiOfModel, apiOfWire } from '../../gateway/wires/apis.ts'

/** Who makes a model, by what answered or else by its name; `null` rather than a guess. */
export function providerOf(model: string | null, provider: string | null = null): string | null {
  // A person wrote the scenario, whatever model it plays.
  if (model === 'scenario') return null
  // A judge that is a program asks its maker's models.
  const kind = provider === null ? undefined : judgeProviders().get(provider)
  if (provider !== null) return kind === undefined ? provider : apiOfWire(kind.wire).name
  return apiOfModel(model ?? '')?.name ?? null
}
