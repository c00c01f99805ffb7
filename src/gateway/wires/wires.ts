import { apiOfWire } from './apis.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Wire } from './wire.ts'

const WIRES: readonly Wire[] = [anthropicMessages, openaiChat, openaiResponses]

/** The wire of this name; any other API is compatible with that of OpenAI. */
export function findWire(name: string): Wire {
  return WIRES.find((one) => one.name === name) ?? { ...openaiChat, name, api: apiOfWire(name) }
}
