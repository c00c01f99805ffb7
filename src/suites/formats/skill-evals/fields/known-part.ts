import { isJsonObject } from '../../../../json.ts'
import { noEffectAt, valueAt, type ReadDocument } from '../../../../documents/document.ts'
import { nearestName } from '../../../../documents/nearest-name.ts'
import { ENTRY_FIELDS, fitsLabel } from '../skill-entry.ts'
import { ELEMENT_FIELDS, PROMPT_FIELDS, ROUTE_FIELDS } from './skill-fields.ts'
import { EMPTY, UNKNOWN } from './unknown-field.ts'
import { isWorded, type WordedField } from './worded-fields.ts'
import { wordingOf } from './worded-names.ts'
import type { Issue } from '../../../../documents/issue.ts'

/** An entry's document without what has no effect, and a remark on each such field. */
export interface KnownEntry {
  readonly document: ReadDocument
  readonly worded: readonly WordedField[]
  readonly issues: readonly Issue[]
}

/**
 * Takes out of an entry what has no effect, with a remark on each: unknown names, labels of another type. Names that
 * begin with `_` are the author's own, and `read` has been read. A name close to a known one stays for validation.
 */
export function knownPart(entry: ReadDocument, read: ReadonlySet<string>, isRouted: boolean): KnownEntry {
  const { value } = entry
  const worded: WordedField[] = []
  if (!isJsonObject(value)) return { document: entry, worded, issues: [] }
  const issues: Issue[] = []
  const written = Object.entries(value)
  const kept = written.filter(([key, own]: readonly [string, unknown]) => {
    if (/^[$_]/.test(key) || read.has(key)) return false
    if (DANGEROUS.has(key)) return true
    // Only routes have a meaning for it: no skill.
    if (own === null && ENTRY_FIELDS.has(key)) return NULLABLE.has(key)
    if (!fitsLabel(key, own)) {
      issues.push(noEffectAt(entry, [key], 'is not a text, so it has no effect'))
      return false
    }
    if (ENTRY_FIELDS.has(key)) return true
    const isOwn = isWorded(key, own, isRouted)
    if (isSlip(key) && !(isOwn && SYNONYMS.has(key))) return true
    if (isOwn) {
      worded.push({ name: key, value: own })
      return false
    }
    issues.push(noEffectAt(entry, [key], isEmptyList(key, own) ? EMPTY : UNKNOWN))
    return false
  })
  if (kept.length === written.length) return { document: entry, worded, issues }
  return { document: { ...entry, value: Object.fromEntries(kept) }, worded, issues }
}

/** Whether a field that is in no list of ours says by its name that a result is expected. */
export function expectsByWords(entry: object): boolean {
  return Object.entries(entry).some(
    ([name, value]: readonly [string, unknown]) => !ENTRY_FIELDS.has(name) && isWorded(name, value, true),
  )
}

// What checks or grades, such as `asserter`, is no slip of what is checked; `should_triger` is one of `should_trigger`.
function isSlip(key: string): boolean {
  const near = nearestName(key, CORE_FIELDS)
  return near !== null && (!AGENT_NOUN.test(key) || AGENT_NOUN.test(near))
}

const AGENT_NOUN = /[a-z]ers?$/

// A slip in one of these would change what a case means; synonyms are too many to compare every label with.
const CORE_FIELDS: ReadonlySet<string> = new Set([
  ...PROMPT_FIELDS.slice(0, 6),
  ...ELEMENT_FIELDS.slice(0, 6),
  'must_not',
  'expected_output',
  'state_prefix',
  'files',
  'timeout',
  'runs',
  'runs_per_query',
  'disabled',
  'should_trigger',
  'should_not_trigger',
  'expected_skill',
  'expected_skills',
  'acceptable_skills',
  'threshold',
  'pass_threshold',
  'trigger_threshold',
  'eval_id',
  'eval_name',
])

// Not slips, though close to a known name.
const SYNONYMS: ReadonlySet<string> = new Set(['expect_behavior', 'expect_behaviors', 'expects_behavior'])

/** Values of the fields whose name begins with `_`, where they are texts: the author's own labels. */
export function labelsOf(value: unknown): readonly string[] {
  const pattern = valueAt(value, '_pattern')
  return typeof pattern === 'string' ? [pattern] : []
}

// Its name is read by its words, and there is nothing in it.
function isEmptyList(key: string, own: unknown): boolean {
  return Array.isArray(own) && own.length === 0 && wordingOf(key) !== null
}

const NULLABLE: ReadonlySet<string> = new Set(ROUTE_FIELDS)
const DANGEROUS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
