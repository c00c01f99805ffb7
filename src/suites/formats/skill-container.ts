import { errorAt, valueAt, type FieldPath, type ReadDocument } from '../../documents/document.ts'
import { describeValue } from '../../documents/describe-value.ts'
import { knownFields } from '../../documents/known-fields.ts'
import { validate } from '../../documents/validate.ts'
import { nearestName } from '../../documents/nearest-name.ts'
import { z } from 'zod'
import { PROMPT_FIELDS, TRIGGER_FIELDS, type ElementList } from './skill-entry.ts'
import type { Issue } from '../../documents/issue.ts'

/** Where the entries of a file are, and what it says for all of them. */
export interface SkillContainer {
  readonly entries: readonly EntryPlace[]
  readonly shared: SharedFields
  readonly issues: readonly Issue[]
}

/** One entry: its path, and what a list that names itself already says of it. */
export interface EntryPlace {
  readonly path: FieldPath
  /** A bare text in a list of queries. */
  readonly text: string | null
  readonly shouldTrigger: boolean | null
}

/** What a file says for all its entries. */
export interface SharedFields {
  readonly skill_name?: string | undefined
  readonly common_assertions?: ElementList | undefined
  readonly timeout?: number | undefined
  readonly runs?: number | undefined
  readonly runs_per_query?: number | undefined
  readonly threshold?: number | undefined
  readonly pass_threshold?: number | undefined
  readonly trigger_threshold?: number | undefined
}

const CONTAINERS = ['evals', 'cases', 'queries', 'test_cases', 'trigger_evals', 'triggers'] as const

const sharedSchema: z.ZodType<SharedFields> = z.looseObject({
  skill_name: z.string().optional(),
  common_assertions: z
    .union([z.string(), z.array(z.union([z.string(), z.record(z.string(), z.unknown())]))])
    .optional(),
  timeout: z.number().positive().max(86_400).optional(),
  runs: z.number().int().min(1).max(100).optional(),
  runs_per_query: z.number().int().min(1).max(100).optional(),
  threshold: z.number().min(0).max(1).optional(),
  pass_threshold: z.number().min(0).max(1).optional(),
  trigger_threshold: z.number().min(0).max(1).optional(),
})

/** Finds the entries of a file: a bare list, or one or more lists under the usual names. */
export function readContainer(document: ReadDocument): SkillContainer {
  if (document.issues.length > 0) return { entries: [], shared: {}, issues: document.issues }
  const { value } = document
  if (Array.isArray(value))
    return { entries: placesOf(value, [], null), shared: {}, issues: noteEmpty(document, value) }
  if (typeof value !== 'object' || value === null) {
    const message = `expected a list of evals, or an object with "evals", got ${describeValue(value)}`
    return { entries: [], shared: {}, issues: [errorAt(document, [], 'wrong-type', message)] }
  }

  const { value: shared, issues } = validate(document, sharedSchema)
  const lists: { readonly field: string; readonly says: boolean | null }[] = [
    ...CONTAINERS.map((field) => ({ field, says: null })),
    { field: 'should_trigger', says: true },
    { field: 'should_not_trigger', says: false },
  ].filter(({ field }) => valueAt(value, field) !== undefined)
  const wrong = lists.filter(({ field }) => !Array.isArray(valueAt(value, field)))
  const entries = lists.flatMap(({ field, says }) => {
    const list = valueAt(value, field)
    return Array.isArray(list) ? placesOf(list, [field], says) : []
  })
  const mistakes = [
    ...misspelt(document, Object.keys(value)),
    ...wrong.map(({ field }) =>
      errorAt(document, [field], 'wrong-type', `expected a list, got ${describeValue(valueAt(value, field))}`),
    ),
  ]
  if (lists.length === 0 && mistakes.length === 0) {
    const message = 'no "evals" in the file; write { "evals": [...] } or a list of queries'
    mistakes.push(errorAt(document, [], 'missing-field', message))
  }
  const empty = lists.length > 0 && mistakes.length === 0 && entries.length === 0 ? noteEmpty(document, []) : []
  return { entries, shared: shared ?? {}, issues: [...issues, ...mistakes, ...empty] }
}

/** Whether a value reads like such a file, whatever else is wrong with it; for files that nothing else identifies. */
export function looksLikeSkillSuite(value: unknown): boolean {
  const lists = Array.isArray(value) ? [value] : CONTAINERS.map((field) => valueAt(value, field))
  return lists.some((list) => {
    const [first] = Array.isArray(list) ? (list as readonly unknown[]) : []
    const asks = PROMPT_FIELDS.some((field) => typeof valueAt(first, field) === 'string')
    return asks && SIGNS.some((field) => valueAt(first, field) !== undefined)
  })
}

const SIGNS = [...TRIGGER_FIELDS, 'expectations', 'assertions', 'expected_output', 'expected_behavior', 'rubric']

// Other names are the author's own business, but not one that is nearly ours.
function misspelt(document: ReadDocument, keys: readonly string[]): readonly Issue[] {
  return keys.flatMap((key) => {
    const nearest = key.startsWith('_') || KNOWN.has(key) ? null : nearestName(key, KNOWN)
    if (nearest === null) return []
    const issue = errorAt(document, [key], 'unknown-field', `unknown field. Did you mean ${JSON.stringify(nearest)}?`)
    return [{ ...issue, ...document.keyPositionOf([key]) }]
  })
}

const KNOWN: ReadonlySet<string> = new Set([
  ...CONTAINERS,
  ...knownFields(sharedSchema, []),
  'should_trigger',
  'should_not_trigger',
])

function placesOf(list: readonly unknown[], path: FieldPath, shouldTrigger: boolean | null): readonly EntryPlace[] {
  return list.map((entry, index) => ({
    path: [...path, index],
    text: shouldTrigger !== null && typeof entry === 'string' ? entry : null,
    shouldTrigger,
  }))
}

function noteEmpty(document: ReadDocument, list: readonly unknown[]): readonly Issue[] {
  return list.length > 0
    ? []
    : [errorAt(document, [], 'empty-file', 'no eval in the file; add one, or remove the file')]
}
