import { AgentEvalsError } from '../../errors.ts'
import { hasPrice, type ModelPrices } from './price.ts'
import type { WireName } from '../leases/lease.ts'

/** A model that a live run asks. */
export interface AskedModel {
  readonly model: string
  readonly wire: WireName
}

/** Says that no budget can stop a model; `null` where each has a price. */
export function describeUnpriced(models: readonly AskedModel[], prices: ModelPrices): string | null {
  const names = [
    ...new Set(models.filter(({ model, wire }) => !hasPrice(model, wire, prices)).map(({ model }) => model)),
  ]
  return names.length === 0 ? null : `the budget cannot be enforced: no price for ${names.join(', ')}`
}

/** The refusal to ask models without a price, with what settles it. */
export function unknownPrice(models: readonly string[]): AgentEvalsError {
  const names = [...new Set(models)]
  const lines = names.map((name) => `${JSON.stringify(name.slice(0, 100))}: { input: INPUT, output: OUTPUT }`)
  return new AgentEvalsError(
    'unknown-price',
    `The budget cannot be enforced: no price for ${names.map((name) => name.slice(0, 100)).join(', ')}. Add it to the options of the plugin, in US dollars for a million tokens: prices: { ${lines.join(', ')} }. Or pass --allow-unknown-cost.`,
  )
}
