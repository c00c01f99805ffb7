/** What the open requests of one lease take. */
export interface Load {
  /** Takes a place for a request; `null` when the lease has too many open. */
  enter(): OpenRequest | null
}

export interface OpenRequest {
  /** Takes room for bytes of its body or answer; `false` when the lease, or all leases together, hold too many. */
  readonly grow: (bytes: number) => boolean
  leave(): void
}

/** Makes loads that share the memory for bodies and answers; none is refused its fair share of it. */
export function createLoads(): () => Load {
  let total = 0
  let leases = 0
  return () => {
    let open = 0
    let held = 0
    return {
      enter() {
        if (open >= MAX_OPEN) return null
        if (open === 0) leases += 1
        open += 1
        let own = 0
        let isOpen = true
        return {
          grow(bytes) {
            if (!isOpen) return false
            own += bytes
            held += bytes
            total += bytes
            return held <= MAX_LEASE_BYTES && (total <= MAX_TOTAL_BYTES || held <= MAX_TOTAL_BYTES / leases)
          },
          leave() {
            if (!isOpen) return
            isOpen = false
            open -= 1
            held -= own
            total -= own
            if (open === 0) leases -= 1
          },
        }
      },
    }
  }
}

const MAX_OPEN = 32
const MAX_LEASE_BYTES = 64 * 1024 * 1024
const MAX_TOTAL_BYTES = 96 * 1024 * 1024
