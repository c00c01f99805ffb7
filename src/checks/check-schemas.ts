import { z } from 'zod'
import type { CheckFields, CheckKind } from './check.ts'
import { CHECKS } from './checks.ts'
import type { Zod, ZodType } from './schemas.ts'

/** What checks make schemas with. The library as a whole would bring its words in forty languages. */
export const BUILDERS: Zod = {
  array: z.array,
  boolean: z.boolean,
  int: z.int,
  literal: z.literal,
  looseObject: z.looseObject,
  number: z.number,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
  union: z.union,
  unknown: z.unknown,
}

/** How the fields of a check are read, by its kind. */
export const CHECK_SCHEMAS: ReadonlyMap<string, ZodType<CheckFields | readonly CheckFields[]>> = new Map(
  Object.entries(CHECKS).flatMap(([kind, { schema }]: readonly [string, CheckKind<CheckFields>]) =>
    schema === undefined ? [] : [[kind, schema(BUILDERS)] as const],
  ),
)
