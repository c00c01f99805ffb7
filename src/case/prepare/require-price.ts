import { AgentEvalsError } from '../../errors.ts'
import { hasPrice } from '../../gateway/price.ts'
import type { WireName } from '../../gateway/lease.ts'
import type { RunSettings } from '../../settings.ts'

/** A model that a live run asks. */
export interface AskedModel {
  readonly model: string
  readonly wire: WireName
}

/** Says that no budget can stop a model; `null` where each has a price. */
export function describeUnpriced(
  models: readonly AskedModel[],
  { prices }: Pick<RunSettings, 'prices'>,
): string | null {
  const names = [
    ...new Set(models.filter(({ model, wire }) => !hasPrice(model, wire, prices)).map(({ model }) => model)),
  ]
  return names.length === 0 ? null : `the budget cannot be enforced: no price for ${names.join(', ')}`
}

/**
 * Refuses to ask a model of unknown price, unless the user allows it.
 *
 * @throws {AgentEvalsError} `unknown-price`.
 */
export function requirePrice(model: AskedModel, settings: Pick<RunSettings, 'allowUnknownCost' | 'prices'>): void {
  const problem = settings.allowUnknownCost ? null : describeUnpriced([model], settings)
  if (problem === null) return
  const message = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. Add one with the option \`prices\`, or pass --allow-unknown-cost (AGENT_EVALS_ALLOW_UNKNOWN_COST=1).`
  throw new AgentEvalsError('unknown-price', message)
}
