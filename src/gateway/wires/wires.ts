import { AgentEvalsError } from '../../errors.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { endpointWire, google, type JudgeEndpoint } from './compatible.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { ModelApi, Wire } from './wire.ts'

// Of several for one API, the usual one is first.
const WIRES: readonly Wire[] = [anthropicMessages, openaiChat, openaiResponses, google]

/** The names of all wires. */
export const WIRE_NAMES: readonly string[] = WIRES.map(({ name }) => name)

/** Adds the servers that the configuration names: this process can ask them from now on. */
export function useEndpoints(endpoints: Readonly<Record<string, JudgeEndpoint>>): void {
  for (const [name, endpoint] of Object.entries(endpoints)) own.set(name, endpointWire(name, endpoint))
}

const own = new Map<string, Wire>()

/** The names of the servers that were added. */
export function endpointNames(): readonly string[] {
  return [...own.keys()]
}

/** The wire of this name. */
export function findWire(name: string): Wire {
  const wire = WIRES.find((one) => one.name === name) ?? own.get(name)
  if (wire !== undefined) return wire
  throw new AgentEvalsError('unsupported-engine', `The gateway does not support the wire "${name}".`)
}

/** The wire that a model is asked over: its API's usual one, else the one that most servers are compatible with. */
export function wireOfModel(model: string): string {
  return (ofModel(model) ?? openaiChat).name
}

/** Whose model this is, by its name; `null` rather than a guess. */
export function apiOfModel(model: string): ModelApi | null {
  return ofModel(model)?.api ?? null
}

function ofModel(model: string): Wire | undefined {
  return WIRES.find(({ api }) => api.models?.test(model) === true)
}

/** The APIs that wires lead to. */
export function listApis(): readonly ModelApi[] {
  return [...new Set([...WIRES, ...own.values()].map(({ api }) => api))]
}
