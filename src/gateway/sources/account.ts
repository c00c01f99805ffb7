import { AgentEvalsError } from '../../lib/errors.ts'
import type { PaidRequest } from '../budget/budget.ts'
import type { Problem } from '../leases/lease.ts'
import { costOf, pricesOf, unknownPrice, usualOutput } from '../budget/price.ts'
import type { ObservedAnswer } from '../wires/wire.ts'
import type { Exchange } from './source.ts'

/**
 * A credential at an API, which may be refused: by then no request of any session can succeed. Of a model that is down
 * only those who give up are told.
 */
export interface Account {
  /**
   * Waits for what is being found out about it.
   *
   * @param model - that is about to be asked by one who gives up.
   * @throws {AgentEvalsError} `credential-refused`, `out-of-credit`, `upstream-failed`.
   */
  check(model?: string | null): Promise<void>
  /** Notes that a model has answered. */
  markAccepted(model: string): void
  /** Notes that one who gives up was not answered by a model. */
  markUnanswered(model: string, problem: Problem): void
  /** Notes that it has no credit left. */
  markEmpty(problem: Problem): void
  /**
   * Notes an answer of 401 or 403, which the session may have provoked by what it asked. Only a request that no session
   * wrote tells: `confirm` sends one that is free, and resolves with its status.
   */
  markRefused(host: string, confirm: () => Promise<number>): void
}

export function createAccount(now: () => number = () => performance.now()): Account {
  let closedBy: AgentEvalsError | null = null
  let isAccepted = false
  let asking: Promise<void> | null = null
  const unansweredSince = new Map<string, number>()
  const down = new Map<string, AgentEvalsError>()
  return {
    async check(model = null) {
      await asking
      const error = closedBy ?? down.get(model ?? '')
      if (error !== undefined) throw error
    },
    markAccepted(model) {
      isAccepted = true
      unansweredSince.delete(model)
    },
    markUnanswered(model, { code, message }) {
      const since = unansweredSince.get(model) ?? now()
      unansweredSince.set(model, since)
      if (now() - since < GIVEN_UP_MS) return
      const seconds = Math.round((now() - since) / 1000)
      const advice = `It has answered nothing for ${seconds} s, so it is not asked again in this run.`
      down.set(model, new AgentEvalsError(code, `${message} ${advice}`))
    },
    markEmpty({ message }) {
      closedBy ??= new AgentEvalsError('out-of-credit', message)
    },
    markRefused(host, confirm) {
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

/** After so long another judge is asked, for the rest of the run. */
const GIVEN_UP_MS = 30_000

function refusedBy(host: string, status: number): AgentEvalsError {
  const advice =
    status === 401 ? 'Check that the credential is valid.' : 'Check what the credential may be used for, and the model.'
  return new AgentEvalsError(
    'credential-refused',
    `The API at ${host} refuses the credential (${status}), so no further request is sent. ${advice}`,
  )
}

/**
 * Admits a request to the budget, with a limit to its answer.
 *
 * @throws {AgentEvalsError} `unknown-price`, `budget-spent`, `judge-not-paid`.
 */
export function admit(
  { size, model, wire, spending }: Exchange,
  { allowUnknownCost }: { readonly allowUnknownCost: boolean },
): PaidRequest {
  if (size === null) return FREE
  const prices = pricesOf(model, size.inputTokens, wire.name)
  if (prices === null && !allowUnknownCost) throw unknownPrice([model])
  const outputTokens = size.outputTokens ?? usualOutput(model, wire.name)
  return spending.admit(prices === null ? null : { ...prices, outputTokens, thinkingTokens: size.thinkingTokens })
}

/** An operation that costs nothing. */
const FREE: PaidRequest = { inputUsd: 0, outputTokens: null, isLowered: false, settle: () => 0 }

/** What came of an answer. */
interface PaidAnswer {
  readonly status: number
  readonly seen: ObservedAnswer
  /** Bytes that had passed when it broke off; `null` where it came to its end. */
  readonly brokeOffAfter: number | null
}

/** What an answer has cost; `null` when that is not known. What no model answered costs nothing. */
export function costOfAnswer(
  { ended, model, wire }: Exchange,
  { status, seen, brokeOffAfter }: PaidAnswer,
): number | null {
  const { usage, failure, complete } = seen
  if (status !== 200 || (failure !== null && seen.model === null && usage === null)) return 0
  if (usage === null) return null
  // It may have gone on for long without saying so, unless we broke it off: then it is what came of it.
  if (brokeOffAfter === null) return complete || failure !== null ? costOf(model, seen.model, usage, wire.name) : null
  if (!ended.aborted) return null
  const outputTokens = Math.max(usage.outputTokens, brokeOffAfter)
  return costOf(model, seen.model, { ...usage, outputTokens }, wire.name)
}
