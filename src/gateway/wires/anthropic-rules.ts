import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { objectsOf, stringOf } from '../../json-fields.ts'
import { forbidden, isSet, quoteName } from './request-rules.ts'
import type { Forbidden, RequestAccess, RequestRules } from './request-rules.ts'

/**
 * What requests to the Messages API may hold. `service_tier`, `speed` and `inference_geo` are not among the fields:
 * they would make a request dearer than its price.
 */
export const ANTHROPIC_RULES: RequestRules = {
  fields: new Set(
    (
      'cache_control context_management max_tokens messages metadata model output_config output_format ' +
      'stop_sequences stream system temperature thinking tool_choice tools top_k top_p'
    ).split(' '),
  ),
  findForbidden(body, access) {
    for (const name of ['mcp_servers', 'container'])
      if (isSet(body[name])) return forbidden(`the field ${quoteName(name)}`)
    for (const tool of objectsOf(body['tools'])) {
      const found = judgeTool(tool, access)
      if (found !== null) return found
    }
    for (const message of objectsOf(body['messages'])) {
      const found = judgeContent(message['content'])
      if (found !== null) return found
    }
    return judgeContent(body['system'])
  },
}

function judgeTool(tool: JsonObject, { network }: RequestAccess): Forbidden | null {
  const { type } = tool
  if (type === undefined || type === null || (typeof type === 'string' && CLIENT_TOOLS.test(type))) return null
  const isWebTool = WEB_TOOLS.test(stringOf(type))
  return isWebTool && network
    ? null
    : forbidden(
        `a tool that the API runs, ${quoteName(typeof type === 'string' ? type : JSON.stringify(type))}`,
        isWebTool,
      )
}

/** Tools that the client runs, and the search among the tools of the request itself. */
const CLIENT_TOOLS = /^(?:custom|(?:bash|computer|memory|text_editor|tool_search_tool(?:_bm25|_regex)?)_\d{8})$/
const WEB_TOOLS = /^web_(?:fetch|search)_\d{8}$/

/** The sources of a message's blocks. What a model gave to a tool is no such block, whatever it looks like. */
function judgeContent(content: JsonValue | undefined): Forbidden | null {
  for (const block of objectsOf(content)) {
    const type = stringOf(block['type'])
    if (type === 'container_upload') return forbidden('a file of the account')
    if (type === 'tool_use' || type === 'server_tool_use') continue
    const { source } = block
    if (isJsonObject(source) && !OWN_SOURCES.has(stringOf(source['type'])))
      return forbidden(
        `${type === '' ? 'a block' : `a block of type ${quoteName(type)}`} with a source of type ${quoteName(stringOf(source['type']))}`,
      )
    const inner = judgeContent(block['content']) ?? (isJsonObject(source) ? judgeContent(source['content']) : null)
    if (inner !== null) return inner
  }
  return null
}

/** Sources that are in the request itself. */
const OWN_SOURCES: ReadonlySet<string> = new Set(['base64', 'content', 'text'])
