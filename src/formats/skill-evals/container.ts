import {
  DANGEROUS_NAMES,
  documentAt,
  errorAt,
  isError,
  warningAt,
  type FieldPath,
  type Issue,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { describeValue } from '../../lib/documents/validate.ts'
import { isJsonObject } from '../../lib/json.ts'
import { chosen, openFields, unknownField, type Fields } from './fields.ts'
import { roleOf, type Role, type SettledFields } from './vocabulary.ts'

/** Where the entries of a file are, and what it says for all of them. */
export interface Container {
  readonly entries: readonly EntryPlace[]
  readonly shared: Fields
}

/** One entry: its path, and what the name of the list that holds it says. */
export interface EntryPlace {
  readonly path: FieldPath
  /** A bare text in a list of queries. */
  readonly text: string | null
  readonly shouldTrigger: boolean | null
}

/** A list of entries in a file. */
export interface EntryList {
  readonly path: FieldPath
  readonly list: readonly unknown[]
  readonly shouldTrigger: boolean | null
}

/** Finds the entries of a file: a bare list, a bare entry, or one or more lists under their names. */
export function readContainer(document: ReadDocument, settled: SettledFields): Container {
  const { value, issues } = document
  const isList = Array.isArray(value)
  const nothing = openFields({ ...document, value: {} }, 'file', settled)
  if (issues.length > 0) return { entries: [], shared: { ...nothing, issues: [...issues] } }
  if (typeof value !== 'object' || value === null) {
    const message = `expected a list of evals, or an object with "evals", got ${describeValue(value)}`
    return { entries: [], shared: { ...nothing, issues: [errorAt(document, [], 'wrong-type', message)] } }
  }
  const lists = findLists(value, settled)
  if (lists.length === 0 && readsLikeEntry(value, settled))
    return { entries: [{ path: [], text: null, shouldTrigger: null }], shared: nothing }
  const entries = lists.flatMap(({ path, list, shouldTrigger }) =>
    list.map((entry, index): EntryPlace => ({
      path: [...path, index],
      text: typeof entry === 'string' ? entry : null,
      shouldTrigger,
    })),
  )
  const listNames = new Set(lists.flatMap(({ path }) => path.slice(0, 1)))
  const shared = isList ? nothing : openFields(document, 'file', settled, listNames)
  const directed = lists.flatMap(({ path: [name], path: { length } }) =>
    length === 2 && name !== undefined ? name : [],
  )
  for (const name of new Set(directed)) shared.issues.push(...besideDirected(documentAt(document, [name]), settled))
  if (lists.length === 0 && !shared.issues.some(isError)) {
    const message = 'no "evals" in the file; write { "evals": [...] } or a list of queries'
    shared.issues.push(errorAt(document, [], 'missing-field', message))
  }
  if (lists.length > 0 && entries.length === 0)
    shared.issues.push({ ...warningAt(document, [], 'empty-file', 'no eval in the file'), noEffect: true })
  return { entries, shared }
}

// What an object of lists of queries says beside them is said of nothing.
function besideDirected(document: ReadDocument, settled: SettledFields): readonly Issue[] {
  const names = Object.keys(document.value as object).filter(
    (name) => !['ignore', 'list'].includes(roleOf(name, 'file', settled)?.as ?? '') && !/^[$_]/.test(name),
  )
  return names.map((name) => unknownField(document, name))
}

/** Finds every list of entries in a file that is a list or an object. */
export function findLists(value: object, settled: SettledFields): readonly EntryList[] {
  if (Array.isArray(value)) return [{ path: [], list: value, shouldTrigger: null }]
  return Object.entries(value).flatMap(([name, content]: readonly [string, unknown]): readonly EntryList[] => {
    const role = roleOf(name, 'file', settled)
    const isList = role?.as === 'list'
    if (Array.isArray(content)) return isList ? [{ path: [name], list: content, shouldTrigger: role.when }] : []
    // An object of lists of queries by their direction holds queries under a name of its author, too.
    return isList || (role === null && !DANGEROUS_NAMES.has(name)) ? findDirected(name, content, settled) : []
  })
}

// Lists of queries that an object holds by their direction.
function findDirected(name: string, content: unknown, settled: SettledFields): readonly EntryList[] {
  if (!isJsonObject(content)) return []
  const lists = Object.entries(content).flatMap(([when, list]: readonly [string, unknown]): readonly EntryList[] => {
    const role = roleOf(when, 'file', settled)
    const shouldTrigger = role?.as === 'list' ? role.when : null
    return shouldTrigger === null || !Array.isArray(list) ? [] : [{ path: [name, when], list, shouldTrigger }]
  })
  return lists.every(({ list }) => list.every((entry) => isQuery(entry, settled))) ? lists : []
}

function isQuery(entry: unknown, settled: SettledFields): boolean {
  return typeof entry === 'string' || asks(entry, settled)
}

/** Why a file does not read like a suite, as the end of a sentence; `null` when it does. */
export function whyNoSuite(value: unknown, settled: SettledFields): string | null {
  if (typeof value !== 'object' || value === null) return 'contains neither a list nor an object'
  if (!Array.isArray(value) && readsLikeEntry(value, settled)) return null
  const lists = findLists(value, settled)
  if (lists.length === 0) return 'contains no list of evals'
  const reads = ({ list, shouldTrigger }: EntryList): boolean =>
    shouldTrigger === null
      ? list.some((entry) => readsLikeEntry(entry, settled))
      : list.length > 0 && list.every((entry) => isQuery(entry, settled))
  if (lists.some(reads)) return null
  return lists.every(({ list }) => list.length === 0) ? NO_ENTRY : 'has no entry with a prompt and an expectation'
}

const EXPECTS: readonly Role['as'][] = ['choice', 'context', 'direction', 'expect', 'route', 'skip']

/** The reason of a file that is a suite without cases. */
export const NO_ENTRY = 'contains no entry'

/** Whether a value asks an agent something and says what is expected. */
export function readsLikeEntry(value: unknown, settled: SettledFields): boolean {
  return asks(value, settled) && hasRole(value, EXPECTS, settled)
}

function asks(value: unknown, settled: SettledFields): boolean {
  return hasRole(value, ['ask'], settled)
}

/** Whether an entry has a field of one of these roles. */
export function hasRole(value: unknown, roles: readonly Role['as'][], settled: SettledFields): boolean {
  if (!isJsonObject(value)) return false
  return Object.entries(value).some(([name, content]) => {
    const role = roleOf(name, 'entry', settled)
    // What a result says is known by its value alone.
    const said = role?.as === 'choice' && role.isResult === true ? (chosen(content, role)?.role ?? null) : role
    return said !== null && roles.includes(said.as)
  })
}

/** The names that a file has for its skill. */
export function subjectsOf(value: unknown, settled: SettledFields): readonly string[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, content]: readonly [string, unknown]) =>
    roleOf(name, 'file', settled)?.as === 'subject' ? [content].flat().filter((one) => typeof one === 'string') : [],
  )
}
