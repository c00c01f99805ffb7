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
