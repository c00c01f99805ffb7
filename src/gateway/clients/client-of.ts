import { askAnthropic } from './anthropic.ts'
import { askOpenai } from './openai.ts'
import type { WireName } from '../leases/lease.ts'
import type { AskModel } from './model-call.ts'

/** The client of an API, for one question. */
export function clientOf(wire: WireName): AskModel {
  return wire === 'anthropic-messages' ? askAnthropic : askOpenai
}
