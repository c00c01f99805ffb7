import { AgentEvalsError } from '../../lib/errors.ts'
import { dollars } from '../../lib/text.ts'
import { createPurse, type Account, type PayingRun, type Purse } from './purse.ts'
import type { MeterReading } from '../leases/lease.ts'

/** What limits live work: the money that may be spent, and an account that has none left. */
export interface Budget {
  /**
   * Waits until the money seems to last for another run beside those under way. The judge of a run that was paid for
   * does not wait.
   *
   * @param account - which API it asks.
   * @throws {AgentEvalsError} `budget-spent` or `out-of-credit`.
   */
  enter(caseId: string, account: string, signal: AbortSignal): Promise<Spending>
  /**
   * Sets aside what the judge of a run needs, from the first request of that run until the returned function is called.
   *
   * @param usdOf - what its requests may cost, where the run asks this model.
   */
  holdShare(caseId: string, usdOf: (model: string) => number): () => void
  /** US dollars that were spent so far, as far as it is known. */
  spent(): number
  /** Notes what a finished run has met; `account` is `null` for one that asked none. */
  close(account: string | null, reading: Pick<MeterReading, 'problems'>): void
}

/** What a request may cost. */
export interface RequestCost {
  readonly model: string
  /** US dollars of all that it sends. */
  readonly inputUsd: number
  /** US dollars of one token of its answer. */
  readonly tokenUsd: number
  /** Tokens that its answer is limited to. */
  readonly outputTokens: number
  /** Those of them that are for thinking alone. */
  readonly thinkingTokens: number
}

/** The money of one lease. */
export interface Spending {
  /**
   * Sets aside what a request may cost, with a limit to its answer that the budget pays for, and waits while other requests
   * hold what it needs.
   *
   * @param cost - `null` for an unknown price, which no budget can stop.
   * @throws {AgentEvalsError} `budget-spent` when it can never fit, or an answer of the lease was cut before.
   */
  reserve(cost: RequestCost | null, signal: AbortSignal): Promise<Reservation>
  /** The lease has a slot to run in. */
  start(): void
  /** Nothing further is paid for: an answer was cut, or a request did not fit. */
  end(why: AgentEvalsError): void
  /** The lease is over. */
  close(): void
}

/** What one request may cost. The first call of the two decides. */
export interface Reservation {
  /** US dollars of all that is sent; 0 where there is no price. */
  readonly inputUsd: number
  /** Tokens that the answer is limited to; `null` where there is no price. */
  readonly outputTokens: number | null
  /** The request has an answer; `null` for an answer whose cost is unknown, which is charged in full. */
  settle(usd: number | null, outputTokens?: number): void
}

/** The limits of one Vitest process, in US dollars. */
export interface BudgetLimits {
  readonly maxCostUsd: number
  readonly maxCostUsdPerCase: number
}

export function createBudget({ maxCostUsd, maxCostUsdPerCase }: BudgetLimits): Budget {
  const purse = createPurse(maxCostUsd)
  const cases = new Map<string, Account>()
  const runs = new Map<string, PayingRun>()
  const shares = new Map<string, (model: string) => number>()
  const empty = new Map<string, string>()
  // What the first request of a run took at least, of those that were accepted: no session keeps others from starting.
  let opening = Infinity

  const accountOf = (caseId: string): Account => {
    const name = caseId.replace(OF_A_RUN, '')
    const account = cases.get(name) ?? { max: maxCostUsdPerCase, spent: 0, reserved: 0 }
    cases.set(name, account)
    return account
  }
  const isSpent = (): boolean => {
    const { spent } = purse.total
    const needed = Number.isFinite(opening) ? opening : 0
    return spent >= maxCostUsd || spent + needed > maxCostUsd
  }
  const check = (account: string): void => {
    const problem = empty.get(account)
    if (problem !== undefined) throw new AgentEvalsError('out-of-credit', problem)
  }
  const openRun = async (name: string, signal: AbortSignal): Promise<PayingRun> => {
    if (isSpent()) throw spentError(maxCostUsd, purse.total.spent, opening)
    const run = await purse.enter(accountOf(name), signal)
    if (isSpent()) {
      run.leases = 0
      purse.update()
      throw spentError(maxCostUsd, purse.total.spent, opening)
    }
    run.isHeld = shares.has(name)
    runs.set(name, run)
    return run
  }
  return {
    async enter(caseId, account, signal) {
      check(account)
      const name = caseId.replace(OF_A_JUDGE, '')
      const isJudge = name !== caseId
      const earlier = runs.get(name)
      const joins = earlier !== undefined && (earlier.leases > 0 || earlier.isHeld)
      if (joins) earlier.leases += 1
      const run = joins ? earlier : await openRun(name, signal)
      return openSpending(run, isJudge, name)
    },
    holdShare(caseId, usdOf) {
      shares.set(caseId, usdOf)
      return () => {
        shares.delete(caseId)
        const run = runs.get(caseId)
        if (run === undefined) return
        run.isHeld = false
        run.share = 0
        purse.update()
      }
    },
    spent: () => purse.total.spent,
    close(account, { problems }) {
      const problem = problems.find(({ code }) => code === 'out-of-credit')
      if (account !== null && problem !== undefined && !empty.has(account)) empty.set(account, problem.message)
    },
  }

  function openSpending(run: PayingRun, isJudge: boolean, name: string): Spending {
    let isFirst = !isJudge
    let stopped: AgentEvalsError | null = null
    let isOpen = true
    return {
      start() {
        run.isStarted = true
      },
      async reserve(cost, signal) {
        if (stopped !== null) throw stopped
        if (cost === null) return unpriced(purse, run)
        const { inputUsd, tokenUsd, outputTokens, thinkingTokens } = cost
        const floor = Math.min(outputTokens, Math.max(LEAST_TOKENS, 2 * run.longest) + thinkingTokens)
        const least = inputUsd + floor * tokenUsd
        const share = isFirst && run.isHeld && run.share === 0 ? (shares.get(name)?.(cost.model) ?? 0) : 0
        const need = { run, isJudge, least, share, most: inputUsd + outputTokens * tokenUsd }
        const taken = await purse.take(need, signal, (account) => {
          stopped = tooExpensive(account, least, isJudge ? 0 : run.share + share)
          return stopped
        })
        if (isFirst) {
          isFirst = false
          opening = Math.min(opening, least + share)
          purse.expect(least + share)
        }
        const paid = tokenUsd === 0 ? outputTokens : Math.floor((taken.usd - inputUsd) / tokenUsd + ROUNDING)
        return {
          inputUsd,
          outputTokens: Math.max(floor, Math.min(outputTokens, paid)),
          settle(usd, usedTokens = 0) {
            run.longest = Math.max(run.longest, usedTokens)
            taken.charge(usd ?? taken.usd)
          },
        }
      },
      end(why) {
        stopped ??= why
      },
      close() {
        if (!isOpen) return
        isOpen = false
        run.leases -= 1
        purse.update()
      },
    }
  }

  function tooExpensive(account: Account, usd: number, share: number): AgentEvalsError {
    const isTotal = account === purse.total
    const left = dollars(Math.max(0, account.max - account.spent - account.reserved))
    return new AgentEvalsError(
      'budget-spent',
      `The budget${isTotal ? '' : ' of the case'} of $${account.max} has ${left} left, and the next request may cost ${dollars(usd)}${share === 0 ? '' : `, beside ${dollars(share)} that is kept for the judge`}. Raise it with ${isTotal ? '--max-cost-usd' : '--max-cost-usd-per-case'}.`,
    )
  }
}

// Nothing can be set aside for it, but what it turns out to have cost counts.
function unpriced({ total, update }: Purse, run: PayingRun): Reservation {
  let isOpen = true
  return {
    inputUsd: 0,
    outputTokens: null,
    settle(usd) {
      if (!isOpen || usd === null) return
      isOpen = false
      for (const one of [total, run.account, run]) one.spent += usd
      update()
    },
  }
}

function spentError(max: number, spent: number, opening: number): AgentEvalsError {
  const needs = Number.isFinite(opening) && spent < max ? `; a first request may cost ${dollars(opening)}` : ''
  return new AgentEvalsError(
    'budget-spent',
    `The budget of $${max} is spent (${dollars(spent)}${needs}). Raise it with --max-cost-usd to run the rest.`,
  )
}

/** What workers write behind the id of a case tells its runs and its judge apart. */
const OF_A_JUDGE = /(?: \((?:judge|canary)\))+$/
const OF_A_RUN = /(?: \((?:run \d+|judge|canary)\))+$/
/** An answer is never limited to fewer tokens. */
const LEAST_TOKENS = 8000
const ROUNDING = 1e-6
