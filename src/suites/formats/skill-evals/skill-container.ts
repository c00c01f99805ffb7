import {
  errorAt,
  formatField,
  noEffectAt,
  valueAt,
  warningAt,
  type FieldPath,
  type ReadDocument,
} from '../../../documents/document.ts'
import { describeValue } from '../../../documents/describe-value.ts'
import { nearestName } from '../../../documents/nearest-name.ts'
import { findLists, isEntry, type EntryList } from './skill-lists.ts'
import { ENTRY_FIELDS } from './skill-entry.ts'
import { UNKNOWN } from './fields/unknown-field.ts'
import { isReadAs, readShared, SHARED_FIELDS, type SharedFields } from './shared-fields.ts'
import { CONTAINERS } from './fields/list-names.ts'
import { asksForSkills, listsSkills } from './routing/skill-routes.ts'
import type { Issue } from '../../../documents/issue.ts'

/** Where the entries of a file are, and what it says for all of them. */
export interface SkillContainer {
  readonly entries: readonly EntryPlace[]
  readonly shared: SharedFields
  readonly issues: readonly Issue[]
}

/** One entry: its path, and what the list that holds it says of it. */
export interface EntryPlace {
  readonly path: FieldPath
  /** A bare text in a list of queries. */
  readonly text: string | null
  readonly shouldTrigger: boolean | null
  /** The skill under whose name the list is. */
  readonly skill: string | null
  /** Whether its field `skill` names the skill that takes the query. */
  readonly asksForSkill: boolean
  /** Whether an empty list under `skills` means that no skill should be used. */
  readonly listsSkills: boolean
}

/** Finds the entries of a file: a bare list, a bare entry, or one or more lists under the usual names. */
export function readContainer(document: ReadDocument): SkillContainer {
  if (document.issues.length > 0) return { entries: [], shared: {}, issues: document.issues }
  const { value } = document
  if (Array.isArray(value)) {
    const lists = findLists(value)
    const issues = [...unreadBeside(document, lists), ...(value.length === 0 ? [empty(document)] : [])]
    return { entries: lists.flatMap(placesOf), shared: {}, issues }
  }
  if (typeof value !== 'object' || value === null) {
    const message = `expected a list of evals, or an object with "evals", got ${describeValue(value)}`
    return { entries: [], shared: {}, issues: [errorAt(document, [], 'wrong-type', message)] }
  }

  const lists = findLists(value)
  if (lists.length === 0 && isEntry(value)) {
    const bare: EntryPlace = {
      path: [],
      text: null,
      shouldTrigger: null,
      skill: null,
      asksForSkill: false,
      listsSkills: false,
    }
    return { entries: [bare], shared: {}, issues: [] }
  }
  const { shared, issues } = readShared(document)
  const entries = lists.flatMap(placesOf)
  const mistakes = [...misspelt(document, value, lists), ...notLists(document, lists), ...unreadBeside(document, lists)]
  if (lists.length === 0 && mistakes.every(({ severity }) => severity === 'warning')) {
    const message = 'no "evals" in the file; write { "evals": [...] } or a list of queries'
    mistakes.push(errorAt(document, [], 'missing-field', message))
  }
  const isEmpty = lists.length > 0 && entries.length === 0 && mistakes.every(({ severity }) => severity === 'warning')
  return { entries, shared, issues: [...issues, ...mistakes, ...(isEmpty ? [empty(document)] : [])] }
}

function notLists(document: ReadDocument, lists: readonly EntryList[]): readonly Issue[] {
  return lists
    .filter(({ list }) => !Array.isArray(list))
    .map(({ path, list }) => errorAt(document, path, 'wrong-type', `expected a list, got ${describeValue(list)}`))
}

// What is beside the lists of a skill is named as what is beside those of the file.
function unreadBeside(document: ReadDocument, lists: readonly EntryList[]): readonly Issue[] {
  const read = new Map<string, { readonly path: FieldPath; readonly fields: Set<unknown> }>()
  for (const { path } of lists) {
    const above = path.slice(0, -1)
    const known = read.get(formatField(above)) ?? { path: above, fields: new Set<unknown>(GROUP_NAMES) }
    known.fields.add(path.at(-1))
    read.set(formatField(above), known)
  }
  return [...read.values()].flatMap(({ path, fields }) => {
    const value = path.length === 0 ? null : path.reduce<unknown>(valueAt, document.value)
    return Object.keys(value ?? {})
      .filter((key) => !fields.has(key) && !/^[$_]/.test(key))
      .map((key) => noEffectAt(document, [...path, key], UNKNOWN))
  })
}

const GROUP_NAMES = ['skill', 'skill_name', 'name']

// A name that is nearly ours is a mistake; every other one is named as having no effect.
function misspelt(document: ReadDocument, value: object, lists: readonly EntryList[]): Issue[] {
  const isList = new Set(lists.map(({ path }) => String(path[0])))
  return Object.keys(value).flatMap((key): readonly Issue[] => {
    if (/^[$_]/.test(key) || isList.has(key) || SHARED_FIELDS.has(key)) return []
    if (isReadAs(key, valueAt(value, key), value)) return []
    const isNull = valueAt(value, key) === null && ENTRY_FIELDS.has(key)
    const nearest = lists.length === 0 && !isNull ? nearestName(key, KNOWN) : null
    if (nearest === null) return [noEffectAt(document, [key], UNKNOWN)]
    const issue = errorAt(document, [key], 'unknown-field', `unknown field. Did you mean ${JSON.stringify(nearest)}?`)
    return [{ ...issue, ...document.keyPositionOf([key]) }]
  })
}

const KNOWN: ReadonlySet<string> = new Set(CONTAINERS.slice(0, 6))

function placesOf({ path, list, shouldTrigger, skill }: EntryList): readonly EntryPlace[] {
  if (!Array.isArray(list)) return []
  const [asksForSkill, areListed] = [asksForSkills(list), listsSkills(list)]
  return list.map((entry: unknown, index) => ({
    path: [...path, index],
    text: typeof entry === 'string' ? entry : null,
    shouldTrigger,
    skill,
    asksForSkill,
    listsSkills: areListed,
  }))
}

function empty(document: ReadDocument): Issue {
  return { ...warningAt(document, [], 'empty-file', 'no eval in the file'), noEffect: true }
}
