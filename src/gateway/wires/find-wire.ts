import type { WireName } from '../leases/lease.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { findRoute } from './route.ts'
import type { Wire } from './wire.ts'

/** Finds a wire; `null` when the gateway does not speak it. */
export function findWire(name: WireName): Wire | null {
  return WIRES.find((wire) => wire.name === name) ?? null
}

/** The wire in whose words a stranger is refused: that of the path, else the first. */
export function wireOfPath(method: string, path: string): Wire {
  return WIRES.find((wire) => findRoute(wire.routes, method, path) !== null) ?? anthropicMessages
}

const WIRES: readonly Wire[] = [anthropicMessages, openaiChat, openaiResponses]
