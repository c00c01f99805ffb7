import { sum, sumOf } from '../../lib/lists.ts'
import { quantile } from '../../lib/rates.ts'
import { waitFor } from '../pace.ts'

/** Money that requests take their share of, in US dollars: that of all runs, or of one case. */
export interface Account {
  readonly max: number
  spent: number
  reserved: number
}

/** One run of a case, with its judge. */
export interface PayingRun {
  /** Of those under way, the oldest is paid first: what it has cost is lost if it does not come to its end. */
  readonly order: number
  readonly account: Account
  /** Leases that are open. */
  leases: number
  /** Whether one of them has a slot to run in. */
  isStarted: boolean
  /** Whether its worker still says what becomes of it. */
  isHeld: boolean
  spent: number
  reserved: number
  /** Set aside for its judge. */
  share: number
  /** Tokens of its longest answer. */
  longest: number
}

/** What one request needs, in US dollars. */
export interface Need {
  readonly run: PayingRun
  /** Whether it is the judge who asks: nobody else takes from its share. */
  readonly isJudge: boolean
  /** What it takes at least. */
  readonly least: number
  /** What is set aside for the judge with it; 0 where that is already so. */
  readonly share: number
  /** What it could use. */
  readonly most: number
}

/** The money for one request. */
export interface Taken {
  readonly usd: number
  /** Puts it back and charges what the request has cost; the first call counts. */
  charge(costUsd: number): void
}

/** What all requests of a gateway are paid from. */
export interface Purse {
  readonly total: Account
  /**
   * Takes the money for a request, and waits for what others have taken. Rejects with the signal's reason when it aborts
   * first, and with what `hopeless` makes of the account that is short when nothing is left to wait for.
   */
  take(need: Need, signal: AbortSignal, hopeless: (account: Account) => Error): Promise<Taken>
  /** Opens a run as soon as the money seems to last for it beside those under way, or when there are none. */
  enter(account: Account, signal: AbortSignal): Promise<PayingRun>
  /** Looks again whether those who wait can go on. */
  readonly update: () => void
  /** Notes what the first request of a run may cost, its judge's share with it: as much has to be left for another run. */
  expect(firstUsd: number): void
}

export function createPurse(maxUsd: number): Purse {
  const total: Account = { max: maxUsd, spent: 0, reserved: 0 }
  const runs = new Set<PayingRun>()
  const requests = new Set<Waiting>()
  const entries = new Set<() => boolean>()
  const ended: number[] = []
  const first: number[] = []
  let orders = 0

  // Others would be started beside them for nothing if runs cost more than this.
  let typicalUsd = maxUsd / UNKNOWN_RUNS
  const learn = (): void => {
    if (ended.length > 0) typicalUsd = quantile(ended, MOST_RUNS)
    else if (first.length > 0) typicalUsd = REQUESTS_OF_A_RUN * quantile(first, HALF)
  }
  const remaining = (run: PayingRun): number =>
    Math.max(typicalUsd - run.spent, ended.length === 0 ? run.spent : 0, run.reserved + run.share)

  const shortfall = (need: Need, ofOlder: boolean): { readonly room: number; readonly of: Account } => {
    const { run, isJudge } = need
    const { account } = run
    const others = [...runs].filter((other) => other !== run)
    const older = ofOlder && !isJudge ? others.filter(({ order }) => order < run.order) : []
    const expected = sumOf(older, (other) => Math.max(0, remaining(other) - other.reserved - other.share))
    const ownShare = isJudge ? 0 : run.share
    const sameCase = others.filter((other) => other.account === account)
    const ofTotal = total.max - total.spent - total.reserved - ownShare - sumOf(others, ({ share }) => share) - expected
    const ofCase = account.max - account.spent - account.reserved - ownShare - sumOf(sameCase, ({ share }) => share)
    return ofCase < ofTotal ? { room: ofCase, of: account } : { room: ofTotal, of: total }
  }

  const grant = (one: Waiting, room: number): void => {
    const { need } = one
    need.run.share += need.share
    const started = [...runs].filter(({ isStarted }) => isStarted).length
    const even = (total.max - total.spent) / Math.max(1, started)
    const usd = Math.min(need.most, room - need.share, Math.max(need.least, even))
    move(need.run, usd, 0)
    let isOpen = true
    one.resolve({
      usd,
      charge(costUsd) {
        if (!isOpen) return
        isOpen = false
        const { share } = need.run
        if (need.isJudge) need.run.share = Math.max(0, share - costUsd)
        move(need.run, -usd, costUsd)
        update()
      },
    })
  }
  const move = (run: PayingRun, reserved: number, spent: number): void => {
    for (const one of [total, run.account, run]) {
      one.reserved += reserved
      one.spent += spent
    }
  }
  // What no settlement of others can make good.
  const neverFits = ({ run, isJudge, least, share }: Need): Account | undefined =>
    [total, run.account].find(({ max, spent }) => spent + (isJudge ? 0 : run.share) + share + least > max + ROUNDING)

  const inOrder = (): readonly Waiting[] =>
    [...requests].toSorted((left, right) => left.need.run.order - right.need.run.order)

  const serve = (): void => {
    let isBlocked = false
    for (const one of inOrder()) {
      const short = neverFits(one.need)
      if (short !== undefined) {
        one.reject(one.hopeless(short))
        continue
      }
      // A judge's share is its own, whoever waits before it.
      if (isBlocked && !one.need.isJudge) continue
      const { room, of } = shortfall(one.need, true)
      if (fits(one.need, room)) grant(one, room)
      else if (of === total) isBlocked = true
    }
  }
  /** Whether everyone waits, so that nothing is left to settle. */
  const isStalled = (): boolean => {
    if (requests.size === 0 || total.reserved > ROUNDING) return false
    const waiting = new Set([...requests].map(({ need }) => need.run))
    return [...runs].every((run) => !run.isStarted || waiting.has(run))
  }
  // Without those who wait for what older ones may still need, nothing would move.
  const serveStalled = (): void => {
    while (isStalled()) {
      const all = inOrder()
      const next = all.find((one) => fits(one.need, shortfall(one.need, false).room))
      if (next !== undefined) return grant(next, shortfall(next.need, false).room)
      const last = all.at(-1)
      if (last === undefined) return
      const { of } = shortfall(last.need, false)
      // What it had set aside is free for the others.
      last.need.run.share = 0
      last.reject(last.hopeless(of))
    }
  }

  const update = (): void => {
    for (const run of runs) {
      if (run.leases > 0 || run.isHeld) continue
      runs.delete(run)
      if (run.spent === 0) continue
      ended.push(run.spent)
    }
    learn()
    serve()
    for (const attempt of entries) {
      if (!attempt()) break
      entries.delete(attempt)
    }
    serveStalled()
  }

  return {
    total,
    update,
    expect(firstUsd) {
      first.push(firstUsd)
      update()
    },
    take(need, signal, hopeless) {
      return waitFor(signal, (resolve, reject, over) => {
        const leave = (): void => {
          over()
          requests.delete(one)
        }
        const one: Waiting = {
          need,
          hopeless,
          resolve: (taken) => (leave(), resolve(taken)),
          reject: (error) => (leave(), reject(error)),
        }
        requests.add(one)
        serve()
        serveStalled()
        return () => {
          requests.delete(one)
          update()
        }
      })
    },
    enter(account, signal) {
      return waitFor(signal, (resolve, _, over) => {
        const attempt = (): boolean => {
          // Each of them has to be able to ask once more, whatever that turns out to cost.
          const room = (runs.size + 1) * quantile(first, HALF)
          const committed = sum([...runs].map(remaining)) + typicalUsd + room
          if (runs.size > 0 && committed > total.max - total.spent + ROUNDING) return false
          const run = { ...NEW_RUN, order: orders++, account }
          runs.add(run)
          over()
          resolve(run)
          return true
        }
        if (entries.size > 0 || !attempt()) entries.add(attempt)
        return () => void entries.delete(attempt)
      })
    },
  }
}

function fits({ least, share }: Need, room: number): boolean {
  return room + ROUNDING >= least + share
}

const NEW_RUN = { leases: 1, isStarted: false, isHeld: false, spent: 0, reserved: 0, share: 0, longest: 0 }

interface Waiting {
  readonly need: Need
  readonly resolve: (taken: Taken) => void
  readonly reject: (error: Error) => void
  readonly hopeless: (account: Account) => Error
}

const HALF = 0.5
const MOST_RUNS = 0.9
const ROUNDING = 1e-9
/** How many runs start at once before anything is known of their cost. */
const UNKNOWN_RUNS = 4
/** What a run costs, as a multiple of what its first request may: few cost more, most much less. */
const REQUESTS_OF_A_RUN = 4
