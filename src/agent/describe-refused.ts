import type { MeterReading } from '../gateway/leases/lease.ts'

/** Names what the gateway kept from the API, one sentence for the requests and one for their parts. */
export function describeRefused({ refused = [], removed = [] }: MeterReading): readonly string[] {
  const requests = refused.map(({ what, times }) => (times === 1 ? what : `${what} (${times} times)`))
  return [
    ...(requests.length === 0 ? [] : [`The gateway refused requests of the session: ${requests.join('; ')}.`]),
    ...(removed.length === 0
      ? []
      : [`The gateway leaves out parts of requests that it does not know: ${removed.join(', ')}.`]),
  ]
}
