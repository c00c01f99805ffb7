/** What one lease has the gateway hold: its open requests with their answers, and its conversation. */
export interface Load {
  /** Takes a place for a request; `null` when the lease has too many open, sent too many, or holds too much already. */
  enter(): OpenRequest | null
  /** Takes nothing more: a request or an answer was too large, so the case is errored, and others would only fill the memory. */
  shut(): void
  readonly isShut: () => boolean
  /** Gives back what the conversation held. */
  close(): void
}

export interface OpenRequest {
  /** Takes room for bytes of its body or answer; `false` when the lease, or all leases together, hold too many. */
  readonly grow: (bytes: number) => boolean
  leave(): void
}

/**
 * Makes loads that share the memory for bodies, answers and conversations. None is refused its fair share of it.
 * `conversationSize` is the size of what the lease keeps for as long as it is open.
 */
export function createLoads(): (conversationSize: () => number) => Load {
  let total = 0
  let leases = 0
  return (conversationSize) => {
    let open = 0
    let requests = 0
    let held = 0
    let kept = 0
    let isClosed = false
    let isShut = false
    leases += 1
    const hold = (bytes: number): void => {
      held += bytes
      total += bytes
    }
    const fits = (): boolean =>
      held <= MAX_LEASE_BYTES && (total <= MAX_TOTAL_BYTES || held <= Math.max(MAX_TOTAL_BYTES / leases, SHARE_BYTES))
    const countConversation = (): void => {
      const now = isClosed ? 0 : conversationSize()
      hold(now - kept)
      kept = now
    }
    return {
      enter() {
        countConversation()
        requests += 1
        if (isClosed || isShut || open >= MAX_OPEN || requests > MAX_REQUESTS) return null
        if (kept > MAX_CONVERSATION || !fits()) return null
        open += 1
        let own = 0
        let isOpen = true
        return {
          grow(bytes) {
            if (!isOpen || isShut) return false
            own += bytes
            hold(bytes)
            isShut = held > MAX_LEASE_BYTES
            return fits()
          },
          leave() {
            if (!isOpen) return
            isOpen = false
            open -= 1
            hold(-own)
            countConversation()
          },
        }
      },
      shut() {
        isShut = true
      },
      isShut: () => isShut,
      close() {
        if (isClosed) return
        isClosed = true
        leases -= 1
        countConversation()
      },
    }
  }
}

const MIB = 1024 * 1024
const MAX_OPEN = 32
/** A session of hours has some hundreds. Of each a little is remembered, even if it is refused. */
const MAX_REQUESTS = 10_000
/** Its worker gets it at the end, in one piece. */
const MAX_CONVERSATION = 8 * MIB
const MAX_LEASE_BYTES = 24 * MIB
const MAX_TOTAL_BYTES = 40 * MIB
/** What a lease may hold whatever the others do. */
const SHARE_BYTES = 4 * MIB
