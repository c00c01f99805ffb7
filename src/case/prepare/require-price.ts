import { hasPrice } from '../../gateway/budget/price.ts'
import { unknownPrice, type AskedModel } from '../../gateway/budget/unpriced.ts'
import type { RunSettings } from '../../settings.ts'

/**
 * Refuses to ask a model of unknown price, unless the user allows it.
 *
 * @throws {AgentEvalsError} `unknown-price`.
 */
export function requirePrice(
  { model, wire }: AskedModel,
  { allowUnknownCost, prices }: Pick<RunSettings, 'allowUnknownCost' | 'prices'>,
): void {
  if (!allowUnknownCost && !hasPrice(model, wire, prices)) throw unknownPrice([model])
}
