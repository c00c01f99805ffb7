import { isJsonObject } from '../../json.ts'
import { CLIENT_HEADERS } from './client-headers.ts'
import { objectsOf, stringOf } from '../../json-fields.ts'
import type { JsonObject } from '../../json.ts'
import type { ModelFailure, ModelRequest, ToolOffer } from '../../conversation/model.ts'
import { findThread, type EngineTraffic } from '../../conversation/traffic.ts'
import { writeOpenaiFailure } from './openai-failure.ts'
import { RESPONSES_RULES } from './openai-rules.ts'
import { askOpenai } from '../clients/openai.ts'
import { OPENAI } from './apis.ts'
import { eventsResponse, jsonResponse } from './wire-response.ts'
import { responseEvents, wholeResponse } from './openai-responses-answer.ts'
import { readInput } from './openai-responses-input.ts'
import { observeResponse } from './openai-responses-observer.ts'
import { readResponse } from './openai-responses-reader.ts'
import type { Route } from './route.ts'
import type { SentRequest, Wire, WireResponse } from './wire.ts'

const ROUTES: readonly Route[] = [
  { operation: 'answer', method: 'POST', path: '/v1/responses' },
  { operation: 'count-tokens', method: 'POST', path: '/v1/responses/input_tokens' },
  { operation: 'list-models', method: 'GET', path: '/v1/models' },
]

/** The Responses API of OpenAI, streaming and not. */
export const openaiResponses: Wire = {
  name: 'openai-responses',
  api: OPENAI,
  routes: ROUTES,
  headers: CLIENT_HEADERS,
  ownHeaders: () => ({}),
  rules: RESPONSES_RULES,
  limits: ['max_output_tokens'],
  readRequest,
  writeAnswer: (answer, stream) =>
    stream ? eventsResponse(responseEvents(answer)) : jsonResponse(wholeResponse(answer)),
  writeFailure,
  writeTokenCount: () => jsonResponse({ object: 'response.input_tokens', input_tokens: 0 }),
  observe: observeResponse,
  readAnswer: readResponse,
  ask: askOpenai,
}

function readRequest({ headers, body }: SentRequest, traffic: readonly EngineTraffic[]): ModelRequest | null {
  if (!isJsonObject(body) || typeof body['model'] !== 'string') return null
  const { input } = body
  if (typeof input !== 'string' && !Array.isArray(input)) return null
  const { messages, tools: late } = readInput(input)
  const instructions = stringOf(body['instructions'])
  const offers = [...objectsOf(body['tools']), ...late].flatMap((tool) => readOffers(tool, ''))
  const system = instructions === '' ? [] : [instructions]
  const tools = offers.map(({ name }) => name)
  return {
    thread: findThread(traffic, { headers, system, messages, tools }),
    model: body['model'],
    stream: body['stream'] === true,
    system,
    messages,
    tools,
    offers,
  }
}

// A namespace holds tools of its own, such as those of one MCP server.
function readOffers(tool: JsonObject, prefix: string): readonly ToolOffer[] {
  const name = `${prefix}${stringOf(tool['name'] ?? tool['type'])}`
  if (tool['type'] === 'namespace') return objectsOf(tool['tools']).flatMap((inner) => readOffers(inner, `${name}__`))
  return [{ name, description: stringOf(tool['description']) }]
}

// Clients try again after a 403; at a 400 they give up at once.
function writeFailure(failure: ModelFailure): WireResponse {
  const isHopeless = failure.status === 403 && failure.retry === false
  return writeOpenaiFailure(isHopeless ? { ...failure, status: 400 } : failure)
}
