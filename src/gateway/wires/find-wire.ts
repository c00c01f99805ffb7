import type { WireName } from '../lease.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { Wire } from './wire.ts'

/** Finds a wire; `null` when the gateway does not speak it. */
export function findWire(name: WireName): Wire | null {
  return WIRES.find((wire) => wire.name === name) ?? null
}

const WIRES: readonly Wire[] = [anthropicMessages]
