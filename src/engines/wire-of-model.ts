import { COMPATIBLE_WIRE, makerOfModel } from '../gateway/makers.ts'
import type { WireName } from '../gateway/leases/lease.ts'

/** The API that a model is asked over: its maker's usual one, else the one that most servers are compatible with. */
export function wireOfModel(model: string): WireName {
  return makerOfModel(model)?.wires[0] ?? COMPATIBLE_WIRE
}
