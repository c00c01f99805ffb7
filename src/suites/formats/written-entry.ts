import { documentAt, noEffectAt, renamed, type FieldPath, type ReadDocument } from '../../documents/document.ts'
import { ENTRY_FIELDS } from './skill-entry.ts'
import { UNKNOWN } from './unknown-field.ts'
import { SENTENCE_FIELDS } from './direction-words.ts'
import * as fields from './skill-fields.ts'
import { snakeCase } from './snake-case.ts'
import { isCheckName } from './check-kinds.ts'
import { isWorded } from './worded-fields.ts'
import { wordingOf } from './worded-names.ts'
import type { Issue } from '../../documents/issue.ts'

/** An entry under the names that are read, and what of it is not. */
export interface WrittenEntry {
  readonly document: ReadDocument
  readonly issues: readonly Issue[]
}

/**
 * Brings an entry to the names that are read: `mustNot` and `must-not` are `must_not`, and an object under `expect` or
 * `expected` holds what an entry holds. Fields that the entry has itself stay as they are; places stay the author's.
 */
export function withReadNames(document: ReadDocument): WrittenEntry {
  const { value } = document
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { document, issues: [] }
  const own = new Map<string, unknown>(Object.entries(value))
  const names = new Map<PropertyKey, FieldPath>()
  for (const [key, part] of Object.entries(value)) {
    const name = snakeCase(key)
    if (name === key || ENTRY_FIELDS.has(key) || !ENTRY_FIELDS.has(name) || own.has(name)) continue
    own.delete(key)
    own.set(name, part)
    names.set(name, [key])
  }
  for (const [key, part] of own) {
    const free = holdsSentences(key, part) ? LISTS_OF_SENTENCES.find((name) => !own.has(name)) : undefined
    if (free === undefined) continue
    own.delete(key)
    own.set(free, part)
    names.set(free, names.get(key) ?? [key])
  }
  const issues = SENTENCE_FIELDS.flatMap((field) => lift(field, own, names, document))
  if (names.size === 0 && own.size === Object.keys(value).length) return { document, issues }
  return { document: renamed(document, Object.fromEntries(own), names), issues }
}

// An object under a name that means sentences, such as `deterministic_assertions`.
function holdsSentences(key: string, part: unknown): boolean {
  if (typeof part !== 'object' || part === null || Array.isArray(part) || ENTRY_FIELDS.has(key)) return false
  const isReadable = Object.values(part).some((one) => typeof one === 'string' || Array.isArray(one))
  return isReadable && wordingOf(key)?.label === ''
}

const LISTS_OF_SENTENCES = ['checks', 'assertions', 'criteria', 'expectations']

// What an object under such a name expects, as if the entry itself did.
function lift(
  field: string,
  own: Map<string, unknown>,
  names: Map<PropertyKey, FieldPath>,
  document: ReadDocument,
): readonly Issue[] {
  const held = own.get(field)
  if (typeof held !== 'object' || held === null || Array.isArray(held)) return []
  own.delete(field)
  const inner = documentAt(document, names.get(field) ?? [field])
  const checks = Object.entries(held).filter(([key]) => isCheckName(key))
  const areChecksRead = checks.length > 0 && !own.has('checks')
  if (areChecksRead) {
    own.set('checks', Object.fromEntries(checks))
    names.set('checks', [field])
  }
  return Object.entries(held).flatMap(([key, part]: readonly [string, unknown]): readonly Issue[] => {
    if (key.startsWith('_') || (isCheckName(key) && areChecksRead)) return []
    const name = HELD_NAMES.get(snakeCase(key)) ?? snakeCase(key)
    const isRead = HELD_FIELDS.has(name) || isWorded(key, part, false)
    if (!isRead || own.has(name)) return [noEffectAt(inner, [key], UNKNOWN)]
    own.set(name, part)
    names.set(name, [field, key])
    return []
  })
}

// Short names that an object under "expect" uses.
const HELD_NAMES: ReadonlyMap<string, string> = new Map([
  ...['activated', 'activates', 'fires', 'invoked', 'trigger', 'triggered', 'triggers'].map(
    (name) => [name, 'should_trigger'] as const,
  ),
  ...['answer', 'description', 'outcome', 'output', 'response', 'result', 'summary'].map(
    (name) => [name, 'expected_output'] as const,
  ),
  ['behavior', 'expected_behavior'],
  ['behaviors', 'expected_behaviors'],
  ['files', 'expected_files'],
  ['skill', 'expected_skill'],
  ['skills', 'expected_skills'],
])

const HELD_FIELDS: ReadonlySet<string> = new Set([
  ...fields.ELEMENT_FIELDS,
  ...fields.FORBIDDEN_FIELDS,
  ...fields.CONTEXT_FIELDS,
  ...fields.ARTIFACT_FIELDS,
  ...fields.DIRECTION_FIELDS,
  ...fields.ROUTE_FIELDS.filter((name) => name !== 'expect' && name !== 'expected'),
  ...fields.EACH_FIELDS,
  ...fields.ACCEPTED_FIELDS,
  ...fields.PERMITTED_FIELDS,
  ...fields.AVOIDED_FIELDS,
  'must_not_trigger',
])
