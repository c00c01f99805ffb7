import { trafficOf } from '../engines/registry.ts'
import { startGateway, type Gateway } from '../gateway/gateway.ts'
import type { ResolvedOptions } from '../options/options.ts'

/** What limits the requests of a run. */
type Limits = Pick<ResolvedOptions, 'allowUnknownCost' | 'concurrency' | 'maxCostUsd' | 'maxCostUsdPerCase' | 'prices'>

/** Starts the gateway of a run, with its budget and the credentials of this process. */
export function openGateway(options: Limits): Promise<Gateway> {
  const { allowUnknownCost, concurrency, maxCostUsd, maxCostUsdPerCase, prices } = options
  const limits = { allowUnknownCost, concurrency, maxCostUsd, maxCostUsdPerCase, prices }
  return startGateway({ ...limits, environment: process.env, traffic: trafficOf() })
}
