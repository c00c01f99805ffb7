import type { WireName } from '../leases/lease.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Wire } from './wire.ts'

/** Finds a wire; `null` when the gateway does not speak it. */
export function findWire(name: WireName): Wire | null {
  return WIRES.find((wire) => wire.name === name) ?? null
}

const WIRES: readonly Wire[] = [anthropicMessages, openaiChat, openaiResponses]
