import { createRequire } from 'node:module'
import { isSameModel } from './same-model.ts'
import type * as Prices from '@pydantic/genai-prices'
import type { WireName } from './lease.ts'
import type { Usage } from '../transcript/transcript.ts'

/**
 * List price of one answer in US dollars, from its real usage; `null` when the model is not in the table.
 *
 * The table finds models by the beginning of their name too. A price of another model is a guess, so only the model
 * itself counts, with or without a date behind its name.
 */
export function priceOf(model: string | null, usage: Usage, wire: WireName): number | null {
  if (model === null) return null
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
    { providerId: wire === 'anthropic-messages' ? 'anthropic' : 'openai' },
  )
  return found !== null && isSameModel(found.model.id, model) ? found.total_price : null
}

// Read when something is to be paid: the table is large, and most runs cost nothing.
let table: typeof Prices | undefined
