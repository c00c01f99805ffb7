import { AgentEvalsError } from '../../lib/errors.ts'
import type { Reservation } from '../budget/budget.ts'
import type { Problem } from '../budget/meter.ts'
import { costOf, unknownPrice } from '../budget/price.ts'
import { priceAtMost, usualOutput } from '../budget/worst-case.ts'
import type { ObservedAnswer } from '../wires/wire.ts'
import type { Exchange } from './source.ts'

/** A credential at an API, which may be refused: by then no request of any session can succeed. */
export interface Account {
  /** Waits for what is being found out about it. @throws {AgentEvalsError} `credential-refused`, `out-of-credit`. */
  check(): Promise<void>
  /** Takes an answer of a model. */
  accepted(): void
  /** Takes an answer by which it has no credit left. */
  isEmpty(problem: Problem): void
  /**
   * Takes an answer of 401 or 403, which the session may have provoked by what it asked. Only a request that no session
   * wrote tells: `confirm` sends one that is free, and resolves with its status.
   */
  isRefused(host: string, confirm: () => Promise<number>): void
}

export function createAccount(): Account {
  let closedBy: AgentEvalsError | null = null
  let isAccepted = false
  let asking: Promise<void> | null = null
  return {
    async check() {
      await asking
      if (closedBy !== null) throw closedBy
    },
    accepted() {
      isAccepted = true
    },
    isEmpty({ message }) {
      closedBy ??= new AgentEvalsError('out-of-credit', message)
    },
    isRefused(host, confirm) {
      const ask = async (): Promise<void> => {
        const confirmed = await confirm().catch(() => null)
        // A credential may be for models alone, and not for the request that is free.
        if (confirmed === 401 || (confirmed === 403 && !isAccepted)) closedBy ??= refusedBy(host, confirmed)
        asking = null
      }
      if (closedBy === null) asking ??= ask()
    },
  }
}

function refusedBy(host: string, status: number): AgentEvalsError {
  const advice =
    status === 401 ? 'Check that the credential is valid.' : 'Check what the credential may be used for, and the model.'
  return new AgentEvalsError(
    'credential-refused',
    `The API at ${host} refuses the credential (${status}), so no further request is sent. ${advice}`,
  )
}

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
