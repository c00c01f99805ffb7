import { z } from 'zod'
import type { Option } from './option.ts'

/** Checks an object of options, each of which may be absent. */
export function schemaOf(options: readonly (readonly [string, Option])[]): z.ZodType<Record<string, unknown>> {
  return z.strictObject(
    Object.fromEntries(options.map(([name, { schema }]) => [name, (schema as z.ZodType).optional()])),
  )
}
