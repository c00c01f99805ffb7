import { noEffectAt, valueAt, type ReadDocument } from '../../documents/document.ts'
import { nearestName } from '../../documents/nearest-name.ts'
import { CORE_FIELDS } from './skill-core-fields.ts'
import { ENTRY_FIELDS, fitsLabel } from './skill-entry.ts'
import { ROUTE_FIELDS } from './skill-fields.ts'
import { UNKNOWN } from './unknown-field.ts'
import { isWorded, type WordedField } from './worded-fields.ts'
import type { Issue } from '../../documents/issue.ts'

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
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { document: entry, worded, issues: [] }
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
    if (nearestName(key, CORE_FIELDS) !== null && !(isOwn && SYNONYMS.has(key))) return true
    if (isOwn) {
      worded.push({ name: key, value: own })
      return false
    }
    issues.push(noEffectAt(entry, [key], UNKNOWN))
    return false
  })
  if (kept.length === written.length) return { document: entry, worded, issues }
  return { document: { ...entry, value: Object.fromEntries(kept) }, worded, issues }
}

// Not slips, though close to a known name.
const SYNONYMS: ReadonlySet<string> = new Set(['expect_behavior', 'expect_behaviors', 'expects_behavior'])

/** Values of the fields whose name begins with `_`, where they are texts: the author's own labels. */
export function labelsOf(value: unknown): readonly string[] {
  const pattern = valueAt(value, '_pattern')
  return typeof pattern === 'string' ? [pattern] : []
}

const NULLABLE: ReadonlySet<string> = new Set(ROUTE_FIELDS)
const DANGEROUS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
