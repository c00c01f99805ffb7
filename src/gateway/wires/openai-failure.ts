import { isJsonObject } from '../../json.ts'
import { stringOf } from '../../json-fields.ts'
import type { JsonObject } from '../../json.ts'
import type { ModelFailure } from '../../conversation/model.ts'
import { jsonResponse, retryHeaders } from './wire-response.ts'
import type { ObservedAnswer, WireResponse } from './wire.ts'

/** Reads the error of an answer, which both APIs of OpenAI write alike; `null` when there is none. */
export function readOpenaiFailure(body: JsonObject): ObservedAnswer['failure'] {
  const error = body['error']
  if (!isJsonObject(error)) return null
  // The code says more than the type, such as `insufficient_quota`.
  return { type: stringOf(error['code']) || stringOf(error['type']), message: stringOf(error['message']) }
}

/** Writes an error as both APIs of OpenAI do. */
export function writeOpenaiFailure({ status, type, message, retryAfter, retry }: ModelFailure): WireResponse {
  const error = { message, type: type ?? USUAL_TYPES.get(status) ?? 'server_error', param: null, code: type }
  return jsonResponse({ error }, status, retryHeaders(retryAfter, retry))
}

const USUAL_TYPES = new Map([
  [400, 'invalid_request_error'],
  [401, 'invalid_request_error'],
  [403, 'invalid_request_error'],
  [404, 'invalid_request_error'],
  [413, 'invalid_request_error'],
  [429, 'rate_limit_error'],
])
