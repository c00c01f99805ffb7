import { z } from 'zod'
import { checkRelativePath } from '../../documents/relative-path.ts'
import { nearestName } from '../../documents/nearest-name.ts'
import { documentAt, valueAt, warningAt, type FieldPath, type ReadDocument } from '../../documents/document.ts'
import { knownFields } from '../../documents/known-fields.ts'
import { validate, type Validated } from '../../documents/validate.ts'
import type { Issue } from '../../documents/issue.ts'

/** One entry of an `evals.json` or `triggers.json`, in whichever dialect it is written. */
export interface SkillEntry {
  readonly id?: number | string | undefined
  readonly eval_id?: number | string | undefined
  readonly slug?: string | undefined
  readonly eval_name?: string | undefined
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly prompt?: string | undefined
  readonly query?: string | undefined
  readonly question?: string | undefined
  readonly input?: string | undefined
  readonly q?: string | undefined
  readonly instruction?: string | undefined
  readonly state_prefix?: string | undefined
  readonly expected_output?: string | undefined
  readonly files?: readonly SkillFile[] | undefined
  readonly expectations?: ElementList | undefined
  readonly assertions?: ElementList | undefined
  readonly expected_behavior?: ElementList | undefined
  readonly rubric?: ElementList | undefined
  readonly must_not?: ElementList | undefined
  readonly checks?: ElementList | undefined
  readonly graders?: ElementList | undefined
  readonly timeout?: number | undefined
  readonly runs?: number | undefined
  readonly runs_per_query?: number | undefined
  readonly threshold?: number | undefined
  readonly pass_threshold?: number | undefined
  readonly trigger_threshold?: number | undefined
  readonly should_trigger?: boolean | undefined
  readonly should_not_trigger?: boolean | undefined
  readonly expected_skill?: string | null | undefined
  readonly expect_skill?: string | null | undefined
  readonly expect?: string | null | undefined
  readonly route?: string | null | undefined
  readonly category?: string | undefined
  readonly tags?: readonly string[] | undefined
}

/** A path, or a path with what the file holds. */
export type SkillFile = string | { readonly path: string; readonly content: string }

/** A text, a list of texts, or objects that say what kind of check they are. */
export type ElementList = string | readonly (string | Readonly<Record<string, unknown>>)[]

/** An entry's document without what is nobody's business, and a remark on each unknown name, once per file. */
export interface KnownEntry {
  readonly document: ReadDocument
  readonly issues: readonly Issue[]
}

const text = z.string().max(1024 * 1024)
const prompt = text
  .refine((value) => value.trim() !== '', 'must not be empty')
  .refine((value) => !value.includes('\0'), 'must not hold a NUL character')

const id = z
  .union([z.string().max(300), z.number().int()])
  .refine((value) => String(value).trim() !== '', 'must not be empty: it names the case in reports')
  // oxlint-disable-next-line no-control-regex
  .refine((value) => !/[\u0000-\u001F\u007F]/.test(String(value)), 'must not hold a control character')

const safePath = z.string().check(({ value, issues }) => {
  const problem = checkRelativePath(value)
  if (problem === null) return
  issues.push({ code: 'custom', input: value, message: `the path ${problem}`, params: { code: 'unsafe-path' } })
})

const elements = z.union([
  text,
  z.array(
    z.union([
      text.refine((value) => value.trim() !== '', 'must not be empty: it would always hold'),
      z.record(z.string(), z.unknown()),
    ]),
  ),
])

const skillName = z.union([z.string().min(1), z.null()])
const seconds = z.number().positive().max(86_400)
const runs = z.number().int().min(1).max(100)
const share = z.number().min(0).max(1)

const fields = {
  id: id.optional(),
  eval_id: id.optional(),
  slug: z.string().min(1).optional(),
  eval_name: z.string().optional(),
  name: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  prompt: prompt.optional(),
  query: prompt.optional(),
  question: prompt.optional(),
  input: prompt.optional(),
  q: prompt.optional(),
  instruction: prompt.optional(),
  state_prefix: text.optional(),
  expected_output: text.optional(),
  files: z.array(z.union([safePath, z.strictObject({ path: safePath, content: text })])).optional(),
  expectations: elements.optional(),
  assertions: elements.optional(),
  expected_behavior: elements.optional(),
  rubric: elements.optional(),
  must_not: elements.optional(),
  checks: elements.optional(),
  graders: elements.optional(),
  timeout: seconds.optional(),
  runs: runs.optional(),
  runs_per_query: runs.optional(),
  threshold: share.optional(),
  pass_threshold: share.optional(),
  trigger_threshold: share.optional(),
  should_trigger: z.boolean().optional(),
  should_not_trigger: z.boolean().optional(),
  expected_skill: skillName.optional(),
  expect_skill: skillName.optional(),
  expect: skillName.optional(),
  route: skillName.optional(),
  category: z.string().optional(),
  tags: z.array(z.string()).optional(),
}

/** What an entry may hold. A mistake in any field is an error at that field. */
const skillEntrySchema: z.ZodType<SkillEntry> = z.strictObject(fields)

/** Checks an entry by the fields that it has, a few of forty: a schema takes as long as it is. */
export function validateEntry(document: ReadDocument): Validated<SkillEntry> {
  const { value } = document
  const narrow = typeof value === 'object' && value !== null ? narrowSchema(Object.keys(value)) : null
  const checked = narrow?.safeParse(value)
  // What is wrong is said by the whole schema.
  return checked?.success === true ? { value: checked.data, issues: [] } : validate(document, skillEntrySchema)
}

// The entries of a file are much alike.
function narrowSchema(names: readonly string[]): z.ZodType<SkillEntry> | null {
  const key = names.join(' ')
  const known = narrowed.get(key)
  if (known !== undefined || narrowed.size === MOST_NARROWED || !names.every((name) => KNOWN.has(name)))
    return known ?? null
  const schema = z.strictObject(Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name))))
  narrowed.set(key, schema)
  return schema
}

const narrowed = new Map<string, z.ZodType<SkillEntry>>()
const MOST_NARROWED = 50

/** Fields that say what the agent is asked, in the order in which one is chosen. */
export const PROMPT_FIELDS = ['prompt', 'query', 'question', 'input', 'q', 'instruction'] as const

/** Fields that hold what is expected, in the order in which they are merged. */
export const ELEMENT_FIELDS = [
  'expectations',
  'assertions',
  'expected_behavior',
  'rubric',
  'checks',
  'graders',
  'must_not',
] as const

/** Fields that make an entry a trigger query. */
export const TRIGGER_FIELDS = [
  'should_trigger',
  'should_not_trigger',
  'expected_skill',
  'expect_skill',
  'expect',
  'route',
] as const

/**
 * Takes out of an entry what no format knows: names that begin with `_` silently, others with a remark, the first time.
 * A name that is close to a known one stays, so that validation calls it a mistake.
 */
export function knownPart(document: ReadDocument, path: FieldPath, seen: Set<string>): KnownEntry {
  const entry = documentAt(document, path)
  const { value } = entry
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { document: entry, issues: [] }
  const issues: Issue[] = []
  const kept = Object.entries(value).filter(([key]) => {
    if (KNOWN.has(key)) return true
    if (key.startsWith('_')) return false
    if (DANGEROUS.has(key) || nearestName(key, KNOWN) !== null) return true
    if (!seen.has(key)) issues.push({ ...unknown(entry, key), ...entry.keyPositionOf([key]) })
    seen.add(key)
    return false
  })
  return { document: { ...entry, value: Object.fromEntries(kept) }, issues }
}

/** Values of the fields whose name begins with `_`, where they are texts: the author's own labels. */
export function labelsOf(value: unknown): readonly string[] {
  const pattern = valueAt(value, '_pattern')
  return typeof pattern === 'string' ? [pattern] : []
}

const KNOWN: ReadonlySet<string> = new Set(knownFields(skillEntrySchema, []))
const DANGEROUS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

function unknown(entry: ReadDocument, key: string): Issue {
  return warningAt(entry, [key], 'unknown-field', 'unknown field. It is ignored, here and in the other entries.')
}
