import { valueAt } from '../../../../documents/document.ts'

/** What a list says of its elements; a sentence of a `denied` one may deny by itself what must not be the case. */
export type How = 'denied' | 'file' | 'forbidden' | 'included' | 'required'

/** Fields that hold the text which is looked for. */
export const VALUE_FIELDS: readonly string[] = ['substring', 'phrase', 'value', 'pattern', 'expected', 'literal']
const CONTAINED_FIELDS = [...VALUE_FIELDS, 'text']
const PATTERN_FIELDS = ['pattern', 'regex', 'value']
/** Fields that hold the path which is looked for. */
export const PATH_FIELDS: readonly string[] = ['path', 'file', 'value', 'pattern', 'target']

/** A kind of check, and the fields of an element that may hold its value. */
export interface Asked {
  readonly kind: 'contains' | 'file-exists' | 'matches' | 'not-contains' | 'not-matches'
  readonly fields: readonly string[]
}

const CONTAINS: Asked = { kind: 'contains', fields: CONTAINED_FIELDS }
const NOT_CONTAINS: Asked = { kind: 'not-contains', fields: CONTAINED_FIELDS }
const MATCHES: Asked = { kind: 'matches', fields: PATTERN_FIELDS }
const NOT_MATCHES: Asked = { kind: 'not-matches', fields: PATTERN_FIELDS }

const CHECKS: Readonly<Record<string, Asked>> = {
  contains: CONTAINS,
  'contains-phrase': CONTAINS,
  'not-contains': NOT_CONTAINS,
  'not-contains-phrase': NOT_CONTAINS,
  regex: MATCHES,
  'contains-pattern': MATCHES,
  'not-regex': NOT_MATCHES,
  'not-contains-pattern': NOT_MATCHES,
  'file-exists': { kind: 'file-exists', fields: PATH_FIELDS },
}

// Other names of these.
const SYNONYMS: Readonly<Record<string, Asked>> = {
  'contains-text': CONTAINS,
  'must-contain': CONTAINS,
  'must-include': CONTAINS,
  'required-phrase': CONTAINS,
  'required-text': CONTAINS,
  includes: CONTAINS,
  'output-contains': CONTAINS,
  'response-contains': CONTAINS,
  'does-not-contain': NOT_CONTAINS,
  'forbidden-phrase': NOT_CONTAINS,
  'forbidden-text': NOT_CONTAINS,
  'must-not-contain': NOT_CONTAINS,
  'must-not-include': NOT_CONTAINS,
  'not-includes': NOT_CONTAINS,
  'output-not-contains': NOT_CONTAINS,
  'response-not-contains': NOT_CONTAINS,
  'matches-regex': MATCHES,
  'output-matches': MATCHES,
  'regex-match': MATCHES,
  'regex-not-match': NOT_MATCHES,
}

const OPPOSITES: Readonly<Record<Asked['kind'], Asked['kind'] | null>> = {
  contains: 'not-contains',
  'not-contains': 'contains',
  matches: 'not-matches',
  'not-matches': 'matches',
  'file-exists': null,
}

/** The check of a kind. In a list of what must not be the case, or denied by its element, it is turned round. */
export function kindOf(kind: string, how: How, isTurned: boolean = false): Asked | null {
  const asked = Object.hasOwn(CHECKS, kind) ? CHECKS[kind] : Object.hasOwn(SYNONYMS, kind) ? SYNONYMS[kind] : undefined
  if (asked === undefined || forbids(how) === isTurned) return asked ?? null
  const opposite = OPPOSITES[asked.kind]
  return opposite === null ? null : { ...asked, kind: opposite }
}

/** Whether a text is the name of a kind, in the words of an author: `contains_any`. */
export function isKind(name: string): boolean {
  const kind = name.trim().toLowerCase().replaceAll('_', '-')
  return kindOf(kind.replace(/-(?:all|any|one)(?:-of)?$/, ''), 'required') !== null
}

/** Whether the elements of a list must not be the case. */
export function forbids(how: How): boolean {
  return how === 'forbidden' || how === 'denied'
}

/** Whether a field is named as a kind of check. */
export function isCheckName(field: string): boolean {
  return Object.hasOwn(CHECKS, field.replaceAll('_', '-'))
}

/** The kinds in the words of the authors. */
export const KNOWN_KINDS: string = Object.keys(CHECKS).join(', ').replaceAll('-', '_')

/** Fields by which an element denies its check: `{ "type": "file_exists", "path": "a.md", "expected": false }`. */
export function denialsOf(element: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(DENIED_BY).filter((field) => typeof valueAt(element, field) === 'boolean')
}

/** Whether an element denies its check. */
export function isDenied(element: Readonly<Record<string, unknown>>): boolean {
  return denialsOf(element).some((field) => valueAt(element, field) === DENIED_BY[field])
}

const DENIED_BY: Readonly<Record<string, boolean>> = {
  exists: false,
  expected: false,
  negate: true,
  negated: true,
  not: true,
  should_exist: false,
}
