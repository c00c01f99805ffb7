import { z } from 'zod'
import { checkRelativePath } from '../../../documents/relative-path.ts'
import type { ReadDocument } from '../../../documents/document.ts'
import { validate, type Validated } from '../../../documents/validate.ts'
import {
  ACCEPTED_FIELDS,
  ARTIFACT_FIELDS,
  AVOIDED_FIELDS,
  CONTEXT_FIELDS,
  DIRECTION_FIELDS,
  DISABLED_FIELDS,
  EACH_FIELDS,
  ELEMENT_FIELDS,
  FORBIDDEN_FIELDS,
  MATERIAL_FIELDS,
  PERMITTED_FIELDS,
  PROMPT_FIELDS,
  REASON_FIELDS,
  ROUTE_FIELDS,
  SUBJECT_FIELDS,
} from './fields/skill-fields.ts'
import { runs, seconds, share } from './fields/run-fields.ts'
import type { EntryFiles } from './fields/entry-files.ts'
import type { Fact } from './fields/facts.ts'
import type { WordedField } from './fields/worded-fields.ts'
import type { Prose } from './prose.ts'
import type { Turns } from './turns.ts'

type Fields<List extends readonly string[], Value> = { readonly [Name in List[number]]?: Value | undefined }

/** One entry of an `evals.json` or `triggers.json`, in whichever dialect it is written. */
export interface SkillEntry
  extends
    Fields<typeof PROMPT_FIELDS, string>,
    Fields<typeof MATERIAL_FIELDS, string>,
    Fields<typeof ELEMENT_FIELDS, ElementList>,
    Fields<typeof FORBIDDEN_FIELDS, ElementList>,
    Fields<typeof CONTEXT_FIELDS, string | Readonly<Record<string, unknown>>>,
    Fields<typeof ARTIFACT_FIELDS, ElementList>,
    Fields<typeof DIRECTION_FIELDS, Names | boolean>,
    Fields<typeof ROUTE_FIELDS, Names | boolean | null>,
    Fields<typeof EACH_FIELDS, Names>,
    Fields<typeof ACCEPTED_FIELDS, Names>,
    Fields<typeof PERMITTED_FIELDS, Names>,
    Fields<typeof AVOIDED_FIELDS, Names>,
    Fields<readonly ['must_not_trigger'], Names | boolean>,
    Fields<typeof SUBJECT_FIELDS, Names>,
    Fields<typeof DISABLED_FIELDS, boolean | string>,
    Fields<typeof REASON_FIELDS, string> {
  readonly id?: number | string | undefined
  readonly eval_id?: number | string | undefined
  readonly case_id?: number | string | undefined
  readonly test_id?: number | string | undefined
  readonly slug?: string | undefined
  readonly eval_name?: string | undefined
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly state_prefix?: string | undefined
  readonly files?: SkillFiles | undefined
  readonly timeout?: number | undefined
  readonly runs?: number | undefined
  readonly runs_per_query?: number | undefined
  readonly threshold?: number | undefined
  readonly pass_threshold?: number | undefined
  readonly trigger_threshold?: number | undefined
  readonly category?: string | undefined
  readonly tags?: string | readonly string[] | undefined
  /** Not the author's: fields that are read by the words of their names. */
  readonly worded?: readonly WordedField[]
  /** Not the author's: what its objects expect under names that no list has. */
  readonly facts?: readonly Fact[]
  /** Not the author's: texts that are sent with the prompt. */
  readonly around?: Pick<Prose, 'before' | 'below'>
  /** Not the author's: files that it has under other names than `files`. */
  readonly brought?: Pick<EntryFiles, 'files' | 'issues' | 'workspaceFiles'>
  /** Not the author's: messages that are more than a prompt. */
  readonly turns?: Pick<Turns, 'held' | 'reason'>
}

/** One name or several. */
export type Names = string | readonly string[]

/** A path, or a path with what the file holds. */
export type SkillFile = string | { readonly path: string; readonly content: string }

/** A list of files, or their contents by path. */
export type SkillFiles = readonly SkillFile[] | Readonly<Record<string, string>>

/** A text, a list of texts, or objects that say what kind of check they are. */
export type ElementList =
  | string
  | Readonly<Record<string, unknown>>
  | readonly (string | Readonly<Record<string, unknown>>)[]

const text = z.string().max(1024 * 1024)
const prompt = text
  .refine((value) => value.trim() !== '', 'must not be empty')
  .refine((value) => !value.includes('\0'), 'must not contain a NUL character')

const id = z
  .union([z.string().max(300), z.number().int()])
  .refine((value) => String(value).trim() !== '', 'must not be empty: it names the case in reports')
  // oxlint-disable-next-line no-control-regex
  .refine((value) => !/[\u0000-\u001F\u007F]/.test(String(value)), 'must not contain a control character')

const safePath = z.string().check(({ value, issues }) => {
  const problem = checkRelativePath(value)
  if (problem === null) return
  issues.push({ code: 'custom', input: value, message: `the path ${problem}`, params: { code: 'unsafe-path' } })
})

const record = z.record(z.string(), z.unknown())
const elements = z.union([
  text,
  z.array(z.union([text.refine((value) => value.trim() !== '', 'must not be empty: it would always hold'), record])),
  record,
])

const names = z.union([z.string().min(1), z.array(z.string().min(1))])
const labels = { name: z.string(), title: z.string(), description: z.string(), category: z.string(), tags: names }

function each<Name extends string, S extends z.ZodType>(fieldNames: readonly Name[], schema: S): Record<Name, S> {
  return Object.fromEntries(fieldNames.map((name) => [name, schema])) as Record<Name, S>
}

const schemas: Readonly<Record<string, z.ZodType>> = {
  ...each(PROMPT_FIELDS, prompt),
  ...each(MATERIAL_FIELDS, text),
  ...each(ELEMENT_FIELDS, elements),
  ...each(FORBIDDEN_FIELDS, elements),
  ...each(CONTEXT_FIELDS, z.union([text, record])),
  ...each(ARTIFACT_FIELDS, elements),
  ...each(DIRECTION_FIELDS, z.union([z.boolean(), names])),
  ...each(ROUTE_FIELDS, z.union([names, z.literal(''), z.boolean(), z.null()])),
  ...each(EACH_FIELDS, names),
  ...each(ACCEPTED_FIELDS, names),
  ...each(PERMITTED_FIELDS, names),
  ...each(AVOIDED_FIELDS, names),
  must_not_trigger: z.union([names, z.boolean()]),
  ...each(SUBJECT_FIELDS, names),
  ...each(DISABLED_FIELDS, z.union([z.boolean(), z.string()])),
  enabled: z.boolean(),
  ...each(REASON_FIELDS, z.string()),
  ...labels,
  id,
  eval_id: id,
  case_id: id,
  test_id: id,
  slug: z.string().min(1),
  eval_name: z.string(),
  state_prefix: text,
  files: z.union([
    z.array(z.union([safePath, z.strictObject({ path: safePath, content: text })])),
    z.record(safePath, text),
  ]),
  timeout: seconds,
  runs,
  runs_per_query: runs,
  threshold: share,
  pass_threshold: share,
  trigger_threshold: share,
}

const fields = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schema.optional()]))

/** What an entry may hold. A mistake in any field is an error at that field. */
const skillEntrySchema = z.strictObject(fields) as unknown as z.ZodType<SkillEntry>

/** Every field that an entry may have. */
export const ENTRY_FIELDS: ReadonlySet<string> = new Set(Object.keys(schemas))

/** Checks an entry by the fields that it has, a few of many: a schema takes as long as it is. */
export function validateEntry(document: ReadDocument): Validated<SkillEntry> {
  const { value } = document
  const narrow = typeof value === 'object' && value !== null ? narrowSchema(Object.keys(value)) : null
  const checked = narrow?.safeParse(value)
  // What is wrong is worded by the complete schema.
  return checked?.success === true ? { value: checked.data, issues: [] } : validate(document, skillEntrySchema)
}

// The entries of a file are much alike.
function narrowSchema(fieldNames: readonly string[]): z.ZodType<SkillEntry> | null {
  const key = fieldNames.join(' ')
  const known = narrowed.get(key)
  if (known !== undefined || narrowed.size === MAX_NARROWED || !fieldNames.every((name) => ENTRY_FIELDS.has(name)))
    return known ?? null
  const shape = Object.fromEntries(fieldNames.map((name) => [name, fields[name] ?? z.never()]))
  const schema = z.strictObject(shape) as unknown as z.ZodType<SkillEntry>
  narrowed.set(key, schema)
  return schema
}

const narrowed = new Map<string, z.ZodType<SkillEntry>>()
const MAX_NARROWED = 50

/** Whether the value of a field that only names or sorts a case is of its type; `true` for every other field. */
export function fitsLabel(field: string, value: unknown): boolean {
  const schema: z.ZodType | undefined = Object.hasOwn(labels, field) ? labels[field as keyof typeof labels] : undefined
  return schema === undefined || schema.safeParse(value).success
}
