import { isJsonObject, objectOf, objectsOf, stringOf, type JsonObject, type JsonValue } from '../../lib/json.ts'
import type { ModelFailure } from '../../recordings/messages.ts'
import {
  forbidden,
  isSet,
  jsonResponse,
  quoteName,
  retryHeaders,
  type Forbidden,
  type ObservedAnswer,
  type WireResponse,
} from './wire.ts'

/** Finds in a request to the Responses API what the API would reach for the session. */
export function findForbiddenInResponses(body: JsonObject, network: boolean): Forbidden | null {
  return (
    judgeStored(body) ??
    judgeTools(body['tools'], network) ??
    first(objectsOf(body['input']), (item) => judgeItem(item, network))
  )
}

/** Finds in a request to the Chat Completions API what the API would reach for the session. */
export function findForbiddenInChat(body: JsonObject, network: boolean): Forbidden | null {
  if (isSet(body['web_search_options']) && !network) return forbidden('the field "web_search_options"', true)
  return (
    judgeStored(body) ??
    judgeTools(body['tools'], network) ??
    first(objectsOf(body['messages']), (message) => judgeParts(message['content']))
  )
}

/** What the account would keep, or holds already. */
function judgeStored(body: JsonObject): Forbidden | null {
  const name = ['previous_response_id', 'conversation', 'background', 'store', 'container', 'prompt'].find((field) =>
    isSet(body[field]),
  )
  return name === undefined ? null : forbidden(`the field ${quoteName(name)}`)
}

function judgeTools(tools: JsonValue | undefined, network: boolean): Forbidden | null {
  return first(objectsOf(tools), (tool) => {
    const type = stringOf(tool['type'])
    if (type === 'namespace') return judgeTools(tool['tools'], network)
    const environment = objectOf(tool['environment'])['type'] ?? 'local'
    if (CLIENT_TOOLS.has(type) && environment === 'local') return null
    const isWebTool = WEB_TOOLS.test(type)
    return isWebTool && network ? null : forbidden(`a tool that the API runs, ${quoteName(type)}`, isWebTool)
  })
}

const CLIENT_TOOLS: ReadonlySet<string> = new Set([
  'apply_patch',
  'computer',
  'computer_use_preview',
  'custom',
  'function',
  'local_shell',
  'shell',
  'tool_search',
])
const WEB_TOOLS = /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/

function judgeItem(item: JsonObject, network: boolean): Forbidden | null {
  if (item['type'] === 'item_reference') return forbidden('a reference to data of the account')
  return judgeTools(item['tools'], network) ?? judgeParts(item['content']) ?? judgeParts(item['output'])
}

function judgeParts(parts: JsonValue | undefined): Forbidden | null {
  const all = Array.isArray(parts) ? objectsOf(parts) : isJsonObject(parts) ? [parts] : []
  return first(all, (part) => {
    for (const holder of [part, objectOf(part['file'])]) {
      const name = ['file_url', 'file_id'].find((field) => isSet(holder[field]))
      if (name !== undefined) return forbidden(`the field ${quoteName(name)}`)
    }
    const image = part['image_url']
    const url = isJsonObject(image) ? image['url'] : image
    return !isSet(url) || stringOf(url).startsWith('data:') ? null : forbidden('an image by its URL')
  })
}

function first<T>(items: readonly T[], judge: (item: T) => Forbidden | null): Forbidden | null {
  for (const item of items) {
    const found = judge(item)
    if (found !== null) return found
  }
  return null
}

/** Reads the error of an answer, which both APIs of OpenAI write alike; `null` when there is none. */
export function readOpenaiFailure(body: JsonObject): ObservedAnswer['failure'] {
  const error = body['error']
  if (!isJsonObject(error)) return null
  // The code says more than the type, such as `insufficient_quota`.
  return { type: stringOf(error['code']) || stringOf(error['type']), message: stringOf(error['message']) }
}

/** Whether the content of a completion can be read: a text, or none beside a refusal or calls. */
export function isContent(content: JsonValue | undefined): boolean {
  return content === undefined || content === null || typeof content === 'string'
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
