import { AgentEvalsError } from '../../errors.ts'
import { costOf } from '../budget/price.ts'
import { unknownPrice } from '../budget/unpriced.ts'
import { priceAtMost, usualOutput } from '../budget/worst-case.ts'
import type { Reservation } from '../budget/budget.ts'
import type { ObservedAnswer } from '../wires/wire.ts'
import type { Exchange } from './source.ts'

/**
 * Sets aside what a request may cost, with a limit to its answer.
 *
 * @throws {AgentEvalsError} `unknown-price`, `budget-spent`.
 */
export async function reserveFor(
  { worstCase, model, wire, headers, spending }: Exchange,
  { allowUnknownCost }: { readonly allowUnknownCost: boolean },
  signal: AbortSignal,
): Promise<Reservation> {
  if (worstCase === null) return FREE
  const price = priceAtMost(model, worstCase, wire.name, /context-1m/.test(headers['anthropic-beta'] ?? ''))
  if (price === null && !allowUnknownCost) throw unknownPrice([model])
  const { thinkingTokens } = worstCase
  const outputTokens = worstCase.outputTokens ?? usualOutput(model, wire.name)
  return spending.reserve(price === null ? null : { model, ...price, outputTokens, thinkingTokens }, signal)
}

/** An operation that costs nothing. */
const FREE: Reservation = { inputUsd: 0, outputTokens: null, settle() {} }

/** Whether the answer was given fewer tokens than it asked for. */
export function isLowered({ worstCase, model, wire }: Exchange, { outputTokens }: Reservation): boolean {
  return outputTokens !== null && outputTokens < (worstCase?.outputTokens ?? usualOutput(model, wire.name))
}

/** Ends a lease whose answer was cut: its engine would ask for the rest, over and over. */
export function endBySpentBudget({ spending, meter }: Exchange, { outputTokens }: Reservation): void {
  const message = `The model was cut off after ${outputTokens} tokens, which is what the budget had left for this answer. Raise the budget with --max-cost-usd or --max-cost-usd-per-case.`
  const error = new AgentEvalsError('budget-spent', message)
  spending.end(error)
  meter.problem({ code: 'budget-spent', message })
}

/** What a whole answer has cost; `null` when that is not known. */
export function costOfWhole({ model, wire }: Exchange, status: number, seen: ObservedAnswer): number | null {
  if (status !== 200) return 0
  // It may have gone on for long without saying so.
  if (!seen.complete && seen.failure === null) return null
  return seen.usage === null ? null : costOf(model, seen.model, seen.usage, wire.name)
}

/** What part of an answer has cost: all that was set aside, unless we broke it off. Then it is what came of it. */
export function costOfPart(
  { ended, model, wire, worstCase }: Exchange,
  seen: ObservedAnswer,
  bytes: number,
): number | null {
  if (!ended.aborted || seen.usage === null || worstCase === null) return null
  const outputTokens = Math.max(seen.usage.outputTokens, bytes)
  return costOf(model, seen.model, { ...seen.usage, outputTokens }, wire.name)
}
