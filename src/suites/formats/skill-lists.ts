import { valueAt, type FieldPath } from '../../documents/document.ts'
import {
  CONTAINERS,
  CONTEXT_FIELDS,
  DIRECTED_LISTS,
  DIRECTION_FIELDS,
  ELEMENT_FIELDS,
  FORBIDDEN_FIELDS,
  LIST_HOLDERS,
  PROMPT_FIELDS,
  ROUTE_FIELDS,
} from './skill-fields.ts'

/** A list of entries in a file. */
export interface EntryList {
  readonly path: FieldPath
  /** What is there; a mistake where it is no list. */
  readonly list: unknown
  readonly shouldTrigger: boolean | null
  /** The skill under whose name it is. */
  readonly skill: string | null
}

/** Finds every list of entries in a file that is an object. */
export function findLists(value: object): readonly EntryList[] {
  const at = (field: string): EntryList => {
    return { path: [field], list: valueAt(value, field), shouldTrigger: null, skill: null }
  }
  const plain = CONTAINERS.filter((field) => Array.isArray(valueAt(value, field))).map(at)
  const held = LIST_HOLDERS.flatMap((field) => directed(valueAt(value, field), [field], null))
  const own = directed(value, [], null)
  const listed = [...plain, ...held, ...own, ...bySkill(value)]
  const found = listed.length > 0 ? listed : byName(value)
  // Where there is no other list, one of these that is none is a mistake.
  return found.length > 0
    ? found
    : CONTAINERS.slice(0, 6)
        .filter((field) => isNoList(valueAt(value, field)))
        .map(at)
}

/** Why a file does not read like a suite, as the end of a sentence about it; `null` when it does. */
export function whyNoSuite(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'contains neither a list nor an object'
  if (!Array.isArray(value) && readsLikeEntry(value)) return null
  const lists = Array.isArray(value)
    ? [{ list: value as readonly unknown[], shouldTrigger: null }]
    : findLists(value).filter(({ list }) => Array.isArray(list))
  if (lists.length === 0) return OTHER_LISTS.find(({ has }) => has(value))?.says ?? 'contains no list of evals'
  const reads = lists.some(({ list, shouldTrigger }) => {
    const entries = list as readonly unknown[]
    return shouldTrigger === null ? entries.some(readsLikeEntry) : entries.length > 0 && entries.every(asksOrIsText)
  })
  if (reads) return null
  const isEmpty = lists.every(({ list }) => (list as readonly unknown[]).length === 0)
  return isEmpty ? NO_ENTRY : 'has no entry with a prompt and an expectation'
}

/** The reason of a file that is a suite without cases. */
export const NO_ENTRY = 'contains no entry'

/** Whether a value asks an agent something and says what is expected. */
export function readsLikeEntry(value: unknown): boolean {
  return hasPrompt(value) && SIGNS.some((field) => valueAt(value, field) !== undefined)
}

function asksOrIsText(entry: unknown): boolean {
  return typeof entry === 'string' || hasPrompt(entry)
}

function hasPrompt(value: unknown): boolean {
  return PROMPT_FIELDS.some((field) => typeof valueAt(value, field) === 'string')
}

const SIGNS = [
  ...ELEMENT_FIELDS,
  ...FORBIDDEN_FIELDS,
  ...CONTEXT_FIELDS,
  ...DIRECTION_FIELDS,
  ...ROUTE_FIELDS,
  'expected_skills',
  'disabled',
]

const OTHER_LISTS: readonly { readonly has: (value: object) => boolean; readonly says: string }[] = [
  {
    has: (value) => Array.isArray(valueAt(value, 'testCases')),
    says: 'contains "testCases", a format that is not read',
  },
]

function isNoList(value: unknown): boolean {
  return value !== undefined && value !== null
}

function directed(value: unknown, path: FieldPath, skill: string | null): readonly EntryList[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(DIRECTED_LISTS).flatMap(([field, shouldTrigger]) => {
    const list = valueAt(value, field)
    return Array.isArray(list) ? [{ path: [...path, field], list, shouldTrigger, skill }] : []
  })
}

// The file may hold the queries of each skill under its name.
function byName(value: object): readonly EntryList[] {
  return Object.entries(value).flatMap(([name, own]: readonly [string, unknown]) =>
    name.startsWith('_') ? [] : directed(own, [name], name),
  )
}

// `skills` may hold the lists of each skill: by its name, or beside it.
function bySkill(value: object): readonly EntryList[] {
  const skills = valueAt(value, 'skills')
  if (typeof skills !== 'object' || skills === null) return []
  return Object.entries(skills).flatMap(([key, own]: readonly [string, unknown]) => {
    const path = ['skills', Array.isArray(skills) ? Number(key) : key]
    const named = ['skill', 'skill_name', 'name'].map((field) => valueAt(own, field))
    const name = Array.isArray(skills) ? named.find((one) => typeof one === 'string') : key
    if (typeof name !== 'string') return []
    const plain = ['evals', 'cases', 'queries', 'triggers'].flatMap((field) => {
      const list = valueAt(own, field)
      return Array.isArray(list) ? [{ path: [...path, field], list, shouldTrigger: null, skill: name }] : []
    })
    return [...directed(own, path, name), ...plain]
  })
}
