import { AgentEvalsError } from '../../errors.ts'
import { describeUnpriced, type AskedModel } from '../../gateway/budget/unpriced.ts'
import type { RunSettings } from '../../settings.ts'

/**
 * Refuses to ask a model of unknown price, unless the user allows it.
 *
 * @throws {AgentEvalsError} `unknown-price`.
 */
export function requirePrice(model: AskedModel, settings: Pick<RunSettings, 'allowUnknownCost' | 'prices'>): void {
  const problem = settings.allowUnknownCost ? null : describeUnpriced([model], settings.prices)
  if (problem === null) return
  const message = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. Add one with the option \`prices\`, or pass --allow-unknown-cost (AGENT_EVALS_ALLOW_UNKNOWN_COST=1).`
  throw new AgentEvalsError('unknown-price', message)
}
