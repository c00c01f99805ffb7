import { findDifference } from './first-request.ts'
import type { FirstRequest } from './first-request.ts'

/** What becomes of the first request of a lease. */
export type FirstTurnMode =
  /** It is kept and never answered: its session is only started to see it. */
  | 'hold'
  /** It is sent without a session, which may follow: its answer is handed over then. */
  | 'probe'

/** An answer as it came, byte for byte. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, readonly string[]>>
  /** Base64. */
  readonly body: string
  /** The same answer to a request that is not streamed; `null` for a failure, which only one request gets. */
  readonly message: string | null
  /** Whether it broke off. */
  readonly isCut: boolean
}

/** What a session gets of the probe before it. */
export interface HandOver {
  readonly request: FirstRequest
  /** `null` where nothing came back: the session asks by itself. */
  readonly answer: StoredAnswer | null
}

/** What to do with a request. */
export type Meeting =
  | { readonly kind: 'differs' | 'hold' | 'pass' }
  | { readonly kind: 'serve'; readonly answer: StoredAnswer }

/** Follows the first request of one lease. */
export interface FirstTurn {
  readonly mode: FirstTurnMode
  /** Whether requests have to be met: those of a probe itself do not, as long as no session follows it. */
  readonly meets: boolean
  /** Takes a request for an answer; `fingerprint` is the same for one that is sent again. */
  meet(request: FirstRequest, fingerprint: string): Meeting
  /** The first request; resolves when it comes. */
  first(): Promise<FirstRequest>
  handOver(given: HandOver): void
  /** Where the session's own first request differs from the probe's; `null` where it does not. */
  readonly difference: string | null
}

export function createFirstTurn(mode: FirstTurnMode): FirstTurn {
  let given: HandOver | null = null
  let served: string | null = null
  let difference: string | null = null
  let known: FirstRequest | null = null
  const waiting: ((request: FirstRequest) => void)[] = []

  const serve = (request: FirstRequest, fingerprint: string): Meeting => {
    if (given?.answer == null || request.thread !== 'main') return { kind: 'pass' }
    if (difference !== null) return { kind: 'differs' }
    if (served !== null && given.answer.message === null) return { kind: 'pass' }
    if (served === null) {
      difference = findDifference(given.request, request)
      if (difference !== null) return { kind: 'differs' }
      served = fingerprint
    }
    return fingerprint === served ? { kind: 'serve', answer: given.answer } : { kind: 'pass' }
  }

  return {
    mode,
    get meets() {
      return mode === 'hold' || given !== null
    },
    meet(request, fingerprint) {
      known ??= request
      for (const tell of waiting.splice(0)) tell(known)
      return mode === 'hold' ? { kind: 'hold' } : serve(request, fingerprint)
    },
    first: () => (known === null ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(known)),
    handOver: (next) => {
      given = next
    },
    get difference() {
      return difference
    },
  }
}
