import { z } from 'zod'
import { documentAt, noEffectAt, valueAt, type ReadDocument } from '../../../documents/document.ts'
import { validate } from '../../../documents/validate.ts'
import { runs, seconds, share } from './fields/run-fields.ts'
import { UNKNOWN } from './fields/unknown-field.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { ElementList, Names } from './skill-entry.ts'

/** Fields that list what is expected of every eval of a file. */
export const COMMON_FIELDS = [
  'common_assertions',
  'common_criteria',
  'common_expectations',
  'criteria',
  'global_assertions',
  'global_criteria',
  'global_expectations',
  'shared_assertions',
  'shared_criteria',
  'shared_expectations',
] as const

/** Other names of `timeout`, with its unit. */
export const TIMEOUTS = ['timeout_seconds', 'timeout_secs', 'timeout_sec', 'timeout_s'] as const

const OURS = 'common_assertions'

type CommonFields = { readonly [Name in (typeof COMMON_FIELDS)[number]]?: ElementList | undefined }

/** A list of what is expected of every eval, and where it is. */
export interface CommonList {
  readonly list: ElementList
  readonly document: ReadDocument
  /** Whether its name is of a dialect, so that a mistake in it is one of the file. */
  readonly isOurs: boolean
}

/** The lists of what a file expects of all its evals. */
export function commonLists(shared: SharedFields, file: ReadDocument): readonly CommonList[] {
  return COMMON_FIELDS.flatMap((field) => {
    const list = shared[field]
    return list === undefined ? [] : [{ list, document: documentAt(file, [field]), isOurs: field === OURS }]
  })
}

/** What a file says for all its entries. */
export interface SharedFields extends CommonFields {
  readonly skill_name?: Names | undefined
  readonly skillName?: Names | undefined
  readonly skill?: Names | undefined
  readonly skills?: Names | undefined
  readonly timeout?: number | undefined
  readonly runs?: number | undefined
  readonly runs_per_query?: number | undefined
  readonly threshold?: number | undefined
  readonly pass_threshold?: number | undefined
  readonly trigger_threshold?: number | undefined
  readonly disabled?: boolean | string | undefined
}

const elements = z.union([z.string(), z.array(z.union([z.string(), z.record(z.string(), z.unknown())]))])
const names = z.union([z.string(), z.array(z.string())])

const shape = {
  skill_name: names.optional(),
  skillName: names.optional(),
  skill: names.optional(),
  skills: names.optional(),
  ...(Object.fromEntries(COMMON_FIELDS.map((name) => [name, elements.optional()])) as Record<
    (typeof COMMON_FIELDS)[number],
    z.ZodOptional<typeof elements>
  >),
  timeout: seconds.optional(),
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
  const all = document.value as object
  const written = Object.entries(all)
    .map(([key, value]: readonly [string, unknown]) => [readName(key, value, all), value] as const)
    .filter(([key, value]) => SHARED_FIELDS.has(key) && value !== null && !isListHolder(key, value))
  const unread = written.filter(([key, value]) => isOwnMeaning(key, value))
  const own = written.filter((field) => !unread.includes(field))
  const { value, issues } = validate({ ...document, value: Object.fromEntries(own) }, sharedSchema)
  return {
    shared: value ?? {},
    issues: [
      ...issues,
      ...unread.map(([key]) => noEffectAt(document, [key], key === 'threshold' ? NO_SHARE : UNKNOWN)),
    ],
  }
}

/** Whether a field of a file is read under another name. */
export function isReadAs(key: string, value: unknown, all: object): boolean {
  return readName(key, value, all) !== key
}

// Of a value that fits, and only where the file does not say the same by the usual name.
function readName(key: string, value: unknown, all: object): string {
  const [, name] = OTHER_NAMES.find(([other]) => other === key) ?? []
  return name === undefined || Object.hasOwn(all, name) || !shape[name].safeParse(value).success ? key : name
}

const OTHER_NAMES = [
  ['runs_per_case', 'runs'],
  ['runs_per_eval', 'runs'],
  ['runs_per_prompt', 'runs'],
  ['runs_per_scenario', 'runs'],
  ['trials', 'runs'],
  ['pass_rate_threshold', 'pass_threshold'],
  ['trigger_rate_threshold', 'trigger_threshold'],
  ...TIMEOUTS.map((name) => [name, 'timeout'] as const),
] as const

const NO_SHARE = 'has no effect: a share of runs is at most 1'

// Under these names an author may have something else, such as the weights of a score.
function isOwnMeaning(key: string, value: unknown): boolean {
  // Such as a sum of points.
  if (key === 'threshold' && typeof value === 'number' && value > 1) return true
  const isCommon = (COMMON_FIELDS as readonly string[]).includes(key) && key !== OURS
  return isCommon && !elements.safeParse(value).success
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
    ...COMMON_FIELDS.map((field) => [field, has.evals, 'the file contains only trigger queries'] as const),
    ['pass_threshold', has.evals, 'the file contains only trigger queries'],
    ['runs_per_query', has.queries, 'the file contains no trigger query; write "runs"'],
    ['trigger_threshold', has.queries, 'the file contains no trigger query; write "pass_threshold"'],
    ['threshold', has.queries, 'the file contains no trigger query; write "pass_threshold"'],
  ]
  if (!has.evals && !has.queries) return []
  const remark = (field: string, why: string): Issue =>
    noEffectAt(documentAt(document, []), [writtenName(field, document)], `has no effect: ${why}`)
  const isMixed = has.evals && has.queries
  const common = COMMON_FIELDS.filter((field) => isMixed && shared[field] !== undefined)
  return [
    ...common.map((field) =>
      noEffectAt(document, [field], 'has no effect on trigger queries; it applies to the evals'),
    ),
    ...kinds.flatMap(([field, isUsed, why]) => (shared[field] === undefined || isUsed ? [] : [remark(field, why)])),
    ...SYNONYMS.flatMap(([used, field]) =>
      shared[used] === undefined || shared[field] === undefined || !has.queries || (field === 'runs' && has.evals)
        ? []
        : [remark(field, `there is "${used}"`)],
    ),
  ]
}

function writtenName(field: string, { value }: ReadDocument): string {
  const isWritten = (name: string): boolean => valueAt(value, name) !== undefined
  if (isWritten(field)) return field
  return OTHER_NAMES.find(([other, name]) => name === field && isWritten(other))?.[0] ?? field
}

// Of two with one meaning for queries the first counts; evals have their own use for "runs".
const SYNONYMS = [
  ['runs_per_query', 'runs'],
  ['trigger_threshold', 'threshold'],
] as const
