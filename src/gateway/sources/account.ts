import { AgentEvalsError } from '../../errors.ts'
import type { Problem } from '../budget/meter.ts'

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
