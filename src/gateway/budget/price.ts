import { createRequire } from 'node:module'
import { isSameModel } from '../leases/same-model.ts'
import type * as Prices from '@pydantic/genai-prices'
import { isJsonObject, type JsonValue } from '../../json.ts'
import { makerOfModel, makerOfWire } from '../makers.ts'
import type { WireName } from '../leases/lease.ts'
import type { Usage } from '../../transcript/transcript.ts'

/** US dollars for a million tokens of each kind. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Default: as `input`. */
  readonly cacheRead?: number | undefined
  /** Default: as `input`. */
  readonly cacheWrite?: number | undefined
}

/** Prices by model id, over those of the table. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>

/** Sets the prices that this process adds to the table: its one configuration says them. */
export function useOwnPrices(prices: ModelPrices): void {
  own = prices
}

/**
 * Whether the answers of a model have a price. A name without a version, such as `sonnet`, is an alias that only the
 * API resolves: it counts as known.
 */
export function hasPrice(model: string, wire: WireName, prices: ModelPrices = own): boolean {
  if (!/\d/.test(model)) return true
  const nothing: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
  return priceOf(model, nothing, wire, prices) !== null
}

/**
 * List price of one answer in US dollars, from its real usage; `null` when the model is not in the table.
 *
 * The table finds models by the beginning of their name too. A price of another model is a guess, so only the model
 * itself counts, with or without a date behind its name.
 */
export function priceOf(model: string | null, usage: Usage, wire: WireName, prices: ModelPrices = own): number | null {
  if (model === null) return null
  const given = prices[model] ?? Object.entries(prices).find(([id]) => isSameModel(id, model))?.[1]
  if (given !== undefined) return priceAt(given, usage)
  const id = withDashes(model)
  return listPrice(id, usage, wire) ?? listPrice(id.replace(DATE, ''), usage, wire)
}

// Such as `claude-sonnet-4.6` for `claude-sonnet-4-6`. The ids of other makers have real dots.
function withDashes(model: string): string {
  return makerOfModel(model)?.dashedVersions === true ? model.replaceAll(/(?<=\d)\.(?=\d)/g, '-') : model
}

// The table lists few of the dates that a model's id may end with.
const DATE = /-(?:\d{8}|\d{4}-\d\d-\d\d)$/

function listPrice(model: string, usage: Usage, wire: WireName): number | null {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage
  table ??= createRequire(import.meta.url)('@pydantic/genai-prices') as typeof Prices
  const found = table.calcPrice(
    {
      // The table counts cached tokens as part of the input, the wire does not.
      input_tokens: inputTokens + cacheReadTokens + cacheWriteTokens,
      cache_read_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      output_tokens: outputTokens,
    },
    model,
    { providerId: makerOfWire(wire).name },
  )
  const names = found === null ? [] : [found.model.id, ...listNames(found.model.match)]
  return found !== null && names.some((name) => isSameModel(name, model)) ? found.total_price : null
}

// Ids that the table gives to a model, besides the beginnings that it finds models by.
function listNames(match: JsonValue | object | undefined): readonly string[] {
  if (!isJsonObject(match)) return []
  if (typeof match['equals'] === 'string') return [match['equals']]
  return Array.isArray(match['or']) ? match['or'].flatMap(listNames) : []
}

function priceAt({ input, output, cacheRead = input, cacheWrite = input }: ModelPrice, usage: Usage): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage
  const millionths =
    inputTokens * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output
  return millionths / 1e6
}

let own: ModelPrices = {}

// Read when something is to be paid: the table is large, and most runs cost nothing.
let table: typeof Prices | undefined
