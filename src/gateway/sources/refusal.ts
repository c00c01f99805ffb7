import type { Problem } from '../budget/meter.ts'

/** What an API error means for a run. */
export interface Refusal {
  readonly problem: Problem
  /** Whether no retry can make it good. */
  readonly final: boolean
}

/** Words an API error as a problem. `who` is the upstream or the scenario that gave it; only an upstream can be mended. */
export function describeRefusal(status: number, message: string, who: string, upstream: boolean): Refusal {
  const detail = message.trim() === '' ? '' : `: ${shorten(message.trim())}`
  if (status === 402 || OUT_OF_MONEY.test(message))
    return {
      final: true,
      problem: {
        code: 'out-of-credit',
        message: `${who} has no credit left (${status})${detail}.${upstream ? ' Top up the account or raise its limit.' : ''}`,
      },
    }
  const next = NEXT_STEPS.get(status)
  const problem = {
    code: 'upstream-failed',
    message: `${who} answered ${status}${detail}.${next === undefined || !upstream ? '' : ` ${next}`}`,
  } as const
  return { final: next !== undefined, problem }
}

// Every status here is one that the same request gets again.
const NEXT_STEPS = new Map([
  [401, 'Check that the credential is valid.'],
  [403, 'Check what the credential may be used for.'],
  [404, 'Check the model name and the base URL.'],
  [413, 'The conversation is larger than the API takes.'],
])

const OUT_OF_MONEY =
  /credit balance is too low|enforced_spend_limit_reached|credit_balance_exhausted|insufficient_quota|spend(?:ing)? limit/i

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 300 ? `${line.slice(0, 300)}…` : line.replace(/\.$/, '')
}
