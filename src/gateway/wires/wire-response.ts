import type { JsonObject } from '../../json.ts'
import type { WireResponse } from './wire.ts'

/** A JSON body. */
export function jsonResponse(body: JsonObject, status = 200, headers: WireResponse['headers'] = {}): WireResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** Server-sent events. */
export function eventsResponse(body: string): WireResponse {
  return { status: 200, headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }, body }
}

/** Headers by which an API says when to try again, and whether. */
export function retryHeaders(retryAfter: number | null, retry: boolean | null): WireResponse['headers'] {
  return {
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    ...(retry === null ? {} : { 'x-should-retry': String(retry) }),
  }
}
