import { isJsonObject } from '../../../json.ts'
import { valueAt, type FieldPath } from '../../../documents/document.ts'
import { nearestName } from '../../../documents/nearest-name.ts'
import { labelledDirection } from './fields/direction-words.ts'
import { isSentence } from './fields/sentences.ts'
import { asksForSkills } from './routing/skill-routes.ts'
import { ENTRY_FIELDS } from './skill-entry.ts'
import { nestedLists } from './nested-lists.ts'
import { scenarioOf } from './prose.ts'
import { hasTurns } from './turns.ts'
import { routingNameOf } from './routing/routing-names.ts'
import { isWorded } from './fields/worded-fields.ts'
import { snakeCase } from './fields/snake-case.ts'
import { CONTAINERS, DIRECTED_LISTS, LIST_HOLDERS, NEAR_LISTS, RETIRED_LISTS } from './fields/list-names.ts'
import { promptNameOf } from './fields/prompt-name.ts'
import { writtenInput } from './fields/written-input.ts'
import {
  ARTIFACT_FIELDS,
  CONTEXT_FIELDS,
  DIRECTION_FIELDS,
  EACH_FIELDS,
  ELEMENT_FIELDS,
  FORBIDDEN_FIELDS,
  ROUTE_FIELDS,
} from './fields/skill-fields.ts'

/** A list of entries in a file. */
export interface EntryList {
  readonly path: FieldPath
  /** What is there; a mistake where it is no list. */
  readonly list: unknown
  readonly shouldTrigger: boolean | null
  /** The skill under whose name it is. */
  readonly skill: string | null
}

/** Finds every list of entries in a file that is a list or an object. */
export function findLists(value: object): readonly EntryList[] {
  if (Array.isArray(value)) {
    const groups = ofGroups(value, [])
    return groups.length > 0 ? groups : [{ path: [], list: value, shouldTrigger: null, skill: null }]
  }
  const at = (field: string): EntryList => {
    return { path: [field], list: valueAt(value, field), shouldTrigger: null, skill: null }
  }
  const plain = CONTAINERS.filter((field) => Array.isArray(valueAt(value, field))).map(at)
  const held = LIST_HOLDERS.flatMap((field) => directed(valueAt(value, field), [field], null))
  const own = directed(value, [], null)
  const near = own.length === 0 ? [] : nearMisses(value, [], null)
  const others = ofOtherNames(value).filter((name) => near.every(({ path }) => path[0] !== name))
  const listed = [...plain, ...held, ...own, ...near, ...bySkill(value), ...others.map(at)]
  const below = listed.length > 0 ? listed : byName(value)
  const found = below.length > 0 ? below : nestedLists(value, isListOfEntries)
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
  if (!Array.isArray(value) && isEntry(value)) return null
  const lists = findLists(value).filter(({ list }) => Array.isArray(list))
  if (lists.length === 0) return OTHER_LISTS.find(({ has }) => has(value))?.says ?? 'contains no list of evals'
  const reads = lists.some(({ list, shouldTrigger }) => {
    const entries = list as readonly unknown[]
    return shouldTrigger === null
      ? entries.some(readsLikeEntry) || asksForSkills(entries)
      : entries.length > 0 && entries.every(asksOrIsText)
  })
  if (reads) return null
  const isEmpty = lists.every(({ list }) => (list as readonly unknown[]).length === 0)
  return isEmpty ? NO_ENTRY : 'has no entry with a prompt and an expectation'
}

/** The reason of a file that is a suite without cases. */
export const NO_ENTRY = 'contains no entry'

/** Whether a value asks an agent something and says what is expected. */
export function readsLikeEntry(value: unknown): boolean {
  return (hasPrompt(value) || hasTurns(value) || scenarioOf(value) !== null) && (hasSign(value) || isLabelled(value))
}

/** Whether a whole file is one entry. A conversation by itself may be the record of a run. */
export function isEntry(value: unknown): boolean {
  return hasPrompt(value) && readsLikeEntry(value)
}

function hasSign(value: unknown): boolean {
  return Object.entries(value as object).some(([key, own]: readonly [string, unknown]) => {
    const name = snakeCase(key)
    if (routingNameOf(key, own) !== null) return true
    // What only begins as an expectation does may be of another tool.
    if (SIGNS.has(name)) return true
    return !ENTRY_FIELDS.has(name) && (areSentences(own) ? isWorded(name, own, false) : isWorded(name, own, true))
  })
}

function areSentences(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && isSentence(one))
}

function isLabelled(value: unknown): boolean {
  return labelledDirection(value) !== null
}

function asksOrIsText(entry: unknown): boolean {
  return typeof entry === 'string' || hasPrompt(entry)
}

function hasPrompt(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  return promptNameOf(value) !== null || writtenInput(value) !== null
}

const SIGNS: ReadonlySet<string> = new Set([
  ...ELEMENT_FIELDS,
  ...FORBIDDEN_FIELDS,
  ...CONTEXT_FIELDS,
  ...DIRECTION_FIELDS,
  ...ROUTE_FIELDS,
  ...EACH_FIELDS,
  // Files by themselves may be those that a run has made.
  ...ARTIFACT_FIELDS.filter((name) => name !== 'artifacts'),
  'disabled',
])

const OTHER_LISTS: readonly { readonly has: (value: object) => boolean; readonly says: string }[] = [
  {
    has: (value) => Array.isArray(valueAt(value, 'testCases')),
    says: 'contains "testCases", a format that is not read',
  },
]

function isNoList(value: unknown): boolean {
  return value !== undefined && value !== null
}

// An author may call a list as they like; what is no longer run is not read.
function ofOtherNames(value: object): readonly string[] {
  return Object.entries(value)
    .filter(([key, list]: readonly [string, unknown]) => isListOfEntries(list) && !isKnownName(key))
    .map(([key]) => key)
}

function isListOfEntries(list: unknown): boolean {
  return Array.isArray(list) && list.some(readsLikeEntry)
}

function isKnownName(key: string): boolean {
  const isKnown =
    KNOWN_LISTS.has(key) || KNOWN_LISTS.has(snakeCase(key)) || key.startsWith('_') || RETIRED_LISTS.test(key)
  return isKnown || nearestName(key, CONTAINERS.slice(0, 6)) !== null
}

const KNOWN_LISTS: ReadonlySet<string> = new Set([
  ...CONTAINERS,
  ...LIST_HOLDERS,
  ...Object.keys(DIRECTED_LISTS),
  ...ELEMENT_FIELDS,
  'common_assertions',
  'skills',
  'testCases',
])

function directed(value: unknown, path: FieldPath, skill: string | null): readonly EntryList[] {
  if (!isJsonObject(value)) return []
  const lists = Object.entries(value).filter(([, list]: readonly [string, unknown]) => Array.isArray(list))
  return Object.entries(DIRECTED_LISTS).flatMap(([field, shouldTrigger]) =>
    lists
      .filter(([name]) => snakeCase(name) === field)
      .map(([name, list]: readonly [string, unknown]) => ({ path: [...path, name], list, shouldTrigger, skill })),
  )
}

// The file may hold the queries of each skill under its name.
function byName(value: object): readonly EntryList[] {
  return Object.entries(value).flatMap(([name, own]: readonly [string, unknown]) => {
    const lists = name.startsWith('_') ? [] : directed(own, [name], name)
    return lists.length === 0 ? [] : [...lists, ...nearMisses(own, [name], name)]
  })
}

// `skills` may hold the lists of each skill: by its name, or beside it.
function bySkill(value: object): readonly EntryList[] {
  const skills = valueAt(value, 'skills')
  if (typeof skills !== 'object' || skills === null) return []
  if (Array.isArray(skills)) return ofGroups(skills, ['skills'])
  return Object.entries(skills).flatMap(([name, own]: readonly [string, unknown]): readonly EntryList[] =>
    areQueries(own)
      ? [{ path: ['skills', name], list: own, shouldTrigger: true, skill: name }]
      : listsOf(own, ['skills', name], name),
  )
}

// Texts alone under the name of a skill are what it takes.
function areQueries(own: unknown): boolean {
  return Array.isArray(own) && own.length > 0 && own.every((one) => typeof one === 'string' && isSentence(one))
}

// A list whose elements hold the lists of a skill each, and its name.
function ofGroups(groups: readonly unknown[], path: FieldPath): readonly EntryList[] {
  return groups.flatMap((group, index) => {
    const named = ['skill', 'skill_name', 'name'].map((field) => valueAt(group, field))
    const name = named.find((one) => typeof one === 'string')
    return typeof name !== 'string' || hasPrompt(group) ? [] : listsOf(group, [...path, index], name)
  })
}

function listsOf(own: unknown, path: FieldPath, skill: string): readonly EntryList[] {
  const plain = ['evals', 'cases', 'queries', 'triggers'].flatMap((field): readonly EntryList[] => {
    const list = valueAt(own, field)
    return Array.isArray(list) ? [{ path: [...path, field], list, shouldTrigger: null, skill }] : []
  })
  return [...directed(own, path, skill), ...plain.map(asQueries), ...nearMisses(own, path, skill)]
}

// Of texts alone each is one that the skill takes.
function asQueries(found: EntryList): EntryList {
  const { list, path } = found
  const isOfTexts = Array.isArray(list) && list.length > 0 && list.every((one) => typeof one === 'string')
  return isOfTexts && path.at(-1) === 'queries' ? { ...found, shouldTrigger: true } : found
}

// They name the skill that takes them, or none.
function nearMisses(own: unknown, path: FieldPath, skill: string | null): readonly EntryList[] {
  return NEAR_LISTS.flatMap((field): readonly EntryList[] => {
    const list = valueAt(own, field)
    if (!Array.isArray(list)) return []
    return [{ path: [...path, field], list, shouldTrigger: list.some(readsLikeEntry) ? null : false, skill }]
  })
}
