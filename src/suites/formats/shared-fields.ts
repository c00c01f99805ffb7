import { z } from 'zod'
import { documentAt, noEffectAt, type ReadDocument } from '../../documents/document.ts'
import { validate } from '../../documents/validate.ts'
import type { Issue } from '../../documents/issue.ts'
import type { ElementList, Names } from './skill-entry.ts'

/** What a file says for all its entries. */
export interface SharedFields {
  readonly skill_name?: Names | undefined
  readonly skillName?: Names | undefined
  readonly skill?: Names | undefined
  readonly skills?: Names | undefined
  readonly common_assertions?: ElementList | undefined
  readonly timeout?: number | undefined
  readonly runs?: number | undefined
  readonly runs_per_query?: number | undefined
  readonly threshold?: number | undefined
  readonly pass_threshold?: number | undefined
  readonly trigger_threshold?: number | undefined
  readonly disabled?: boolean | string | undefined
}

const names = z.union([z.string(), z.array(z.string())])
const runs = z.number().int().min(1).max(100)
// At 0 every case passes, whatever its runs show.
const share = z.number().gt(0).max(1)

const shape = {
  skill_name: names.optional(),
  skillName: names.optional(),
  skill: names.optional(),
  skills: names.optional(),
  common_assertions: z
    .union([z.string(), z.array(z.union([z.string(), z.record(z.string(), z.unknown())]))])
    .optional(),
  timeout: z.number().positive().max(86_400).optional(),
  runs: runs.optional(),
  runs_per_query: runs.optional(),
  threshold: share.optional(),
  pass_threshold: share.optional(),
  trigger_threshold: share.optional(),
  disabled: z.union([z.boolean(), z.string()]).optional(),
}

const sharedSchema: z.ZodType<SharedFields> = z.looseObject(shape)

/** Every field that a file may have for all its entries. */
export const SHARED_FIELDS: ReadonlySet<string> = new Set(Object.keys(shape))

/** Reads what a file says for all its entries; `null` says nothing. */
export function readShared(document: ReadDocument): {
  readonly shared: SharedFields
  readonly issues: readonly Issue[]
} {
  const own = Object.entries(document.value as object).filter(
    ([key, value]) => SHARED_FIELDS.has(key) && value !== null && !isListHolder(key, value),
  )
  const { value, issues } = validate({ ...document, value: Object.fromEntries(own) }, sharedSchema)
  return { shared: value ?? {}, issues }
}

// Under this name there may be the lists of each skill as well.
function isListHolder(key: string, value: unknown): boolean {
  return key === 'skills' && !names.safeParse(value).success
}

/** Remarks on what a file says for entries of a kind that it does not hold. */
export function unusedShared(
  document: ReadDocument,
  shared: SharedFields,
  has: { readonly evals: boolean; readonly queries: boolean },
): readonly Issue[] {
  const kinds: readonly (readonly [keyof SharedFields, boolean, string])[] = [
    ['common_assertions', has.evals, 'the file contains only trigger queries'],
    ['pass_threshold', has.evals, 'the file contains only trigger queries'],
    ['runs_per_query', has.queries, 'the file contains no trigger query; write "runs"'],
    ['trigger_threshold', has.queries, 'the file contains no trigger query; write "pass_threshold"'],
    ['threshold', has.queries, 'the file contains no trigger query; write "pass_threshold"'],
  ]
  if (!has.evals && !has.queries) return []
  return kinds.flatMap(([field, isUsed, why]) =>
    shared[field] === undefined || isUsed
      ? []
      : [noEffectAt(documentAt(document, []), [field], `has no effect: ${why}`)],
  )
}
