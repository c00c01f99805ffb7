import { createRequire } from 'node:module'
import type * as Prices from '@pydantic/genai-prices'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isJsonObject, type JsonValue } from '../../lib/json.ts'
import type { Usage } from '../../transcript/transcript.ts'
import { apiModel, isSameModel, type WireName } from '../leases/lease.ts'
import { apiOfModel, apiOfWire } from '../wires/apis.ts'
import { NO_USAGE } from '../../transcript/transcript.ts'

/** What an API says that an answer used. */
export interface PaidUsage extends Usage {
  /** Those of `cacheWriteTokens` that are kept for an hour. */
  readonly cacheWriteHourTokens?: number
  /** Searches of the web that the API ran. */
  readonly webSearches?: number
}

/** US dollars for a million tokens of each kind. */
interface ModelPrice {
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
  ownPrices = prices
}

/** Whether the answers of a model have a price. An alias such as `sonnet` has that of the model that it resolves to. */
export function hasPrice(model: string, wire: WireName, prices: ModelPrices = ownPrices): boolean {
  return priceOf(resolveAlias(model, prices), NO_USAGE, wire, prices) !== null
}

/**
 * The newest model of a family that has a price, for an alias such as `haiku` or `claude-haiku`; every other name stays
 * as its API knows it.
 * What an engine resolves an alias to itself may be too new for the table.
 */
export function resolveAlias(alias: string, prices: ModelPrices = ownPrices): string {
  const name = apiModel(alias)
  const family = FAMILY.exec(name)?.[1]
  if (family === undefined) return name
  const ids = [
    ...Object.keys(prices),
    ...(findTable().findProvider({ providerId: 'anthropic' })?.models ?? []).map(({ id }) => id),
  ]
  const [newest] = ids
    .flatMap((id) => {
      const version = new RegExp(`^claude-${family}-(\\d+(?:-\\d{1,2})?)(?:-\\d{8})?$`).exec(id)?.[1]
      return version === undefined ? [] : [{ id, version: Number(version.replace('-', '.')) }]
    })
    .toSorted((left, right) => right.version - left.version)
  return newest?.id ?? name
}

const FAMILY = /^(?:claude-)?(haiku|opus|sonnet)$/

/** The ids that aliases have to mean, so that what it asks has a price. */
export function aliasedModels(aliases: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(aliases.map((alias) => [alias, resolveAlias(alias)]))
}

/**
 * What an answer has cost in US dollars; `null` when it is not known. A model that answers in the place of the one that
 * was asked is charged, the dearer of both.
 */
export function costOf(
  askedModel: string | null,
  answeringModel: string | null,
  usage: PaidUsage,
  wire: WireName,
): number | null {
  const models = new Set([askedModel, answeringModel].filter((model) => model !== null))
  const costs = [...models].map((model) => priceOf(model, usage, wire))
  return costs.length === 0 || costs.includes(null) ? null : Math.max(...costs.map(Number))
}

/**
 * List price of one answer in US dollars, from its real usage; `null` when the model is not in the table.
 *
 * The table finds models by the beginning of their name too. A price of another model is a guess, so only the model
 * itself counts, with or without a date behind its name.
 */
export function priceOf(
  model: string | null,
  usage: PaidUsage,
  wire: WireName,
  prices: ModelPrices = ownPrices,
): number | null {
  if (model === null) return null
  const price = prices[model] ?? Object.entries(prices).find(([id]) => isSameModel(id, model))?.[1]
  if (price !== undefined) return priceAt(price, usage)
  const id = withDashes(apiModel(model))
  return listPrice(id, usage, wire) ?? listPrice(id.replace(DATE, ''), usage, wire)
}

// Such as `claude-sonnet-4.6` for `claude-sonnet-4-6`. The ids of other makers have real dots.
function withDashes(model: string): string {
  return apiOfModel(model)?.dashedVersions === true ? model.replaceAll(/(?<=\d)\.(?=\d)/g, '-') : model
}

// The table lists few of the dates that a model's id may end with.
const DATE = /-(?:\d{8}|\d{4}-\d\d-\d\d)$/

/** The limit of an answer to a request that sets none: what models with such a context give at most, as far as it is known. */
export function usualOutput(model: string, wire: WireName): number {
  const context = findModel(withDashes(model), wire)?.context_window ?? Infinity
  return Math.min(MOST_USUAL, Math.floor(context / 8))
}

const MOST_USUAL = 32_000

/** What a request costs at list price in US dollars: its input, and a token of its answer; `null` for an unknown price. */
export function pricesOf(
  model: string,
  inputTokens: number,
  wire: WireName,
): { readonly inputUsd: number; readonly tokenUsd: number } | null {
  const inputUsd = priceOf(model, { ...NO_USAGE, inputTokens }, wire)
  const answeredUsd = priceOf(model, { ...NO_USAGE, inputTokens, outputTokens: 1e6 }, wire)
  return inputUsd === null || answeredUsd === null ? null : { inputUsd, tokenUsd: (answeredUsd - inputUsd) / 1e6 }
}

function findModel(model: string, wire: WireName): Prices.ModelInfo | undefined {
  const models = findTable().findProvider(tableOf(wire))?.models ?? []
  return models.find(({ id, match }) => [id, ...listNames(match)].some((name) => isSameModel(name, model)))
}

function listPrice(model: string, usage: PaidUsage, wire: WireName): number | null {
  const {
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens = 0,
    outputTokens,
    webSearches = 0,
  } = usage
  const found = findTable().calcPrice(
    {
      // The table counts cached tokens as part of the input, the wire does not.
      input_tokens: inputTokens + cacheReadTokens + cacheWriteTokens,
      cache_read_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      cache_write_1h_tokens: Math.min(cacheWriteHourTokens, cacheWriteTokens),
      output_tokens: outputTokens,
      web_searches: webSearches,
    },
    model,
    tableOf(wire),
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

function priceAt({ input, output, cacheRead = input, cacheWrite = input }: ModelPrice, usage: PaidUsage): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage
  const forAnHour = Math.min(usage.cacheWriteHourTokens ?? 0, cacheWriteTokens)
  const millionths =
    inputTokens * input +
    cacheReadTokens * cacheRead +
    (cacheWriteTokens - forAnHour) * cacheWrite +
    forAnHour * Math.max(2 * input, cacheWrite) +
    outputTokens * output
  return millionths / 1e6
}

let ownPrices: ModelPrices = {}

// Read when something is to be paid: the table is large, and most runs cost nothing.
function findTable(): typeof Prices {
  table ??= createRequire(import.meta.url)('@pydantic/genai-prices') as typeof Prices
  return table
}

// Another's server has prices of its own for models of the same name.
function tableOf(wire: WireName): { readonly providerId: string } | { readonly providerApiUrl: string } {
  const { name, isReseller, official } = apiOfWire(wire)
  return isReseller === true ? { providerApiUrl: official } : { providerId: name }
}

let table: typeof Prices | undefined

/** The package that prices come from, pinned in the manifest; its version is in every report. */
export const PRICE_TABLE = '@pydantic/genai-prices'

/** A model that a live run asks. */
export interface AskedModel {
  readonly model: string
  readonly wire: WireName
}

/** Says that no budget can stop a model; `null` where each has a price. */
export function describeUnpriced(models: readonly AskedModel[], prices: ModelPrices): string | null {
  const names = [
    ...new Set(models.filter(({ model, wire }) => !hasPrice(model, wire, prices)).map(({ model }) => model)),
  ]
  return names.length === 0 ? null : `the budget cannot be enforced: no price for ${names.join(', ')}`
}

/** The refusal to ask models without a price, with what settles it. */
export function unknownPrice(models: readonly string[]): AgentEvalsError {
  const names = [...new Set(models)]
  const lines = names.map((name) => `${JSON.stringify(name.slice(0, 100))}: { input: INPUT, output: OUTPUT }`)
  return new AgentEvalsError(
    'unknown-price',
    `The budget cannot be enforced: no price for ${names.map((name) => name.slice(0, 100)).join(', ')}. Add it to the options of the plugin, in US dollars for a million tokens: prices: { ${lines.join(', ')} }. Or pass --allow-unknown-cost.`,
  )
}
