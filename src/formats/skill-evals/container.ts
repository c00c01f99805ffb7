import {
  documentAt,
  errorAt,
  noEffectAt,
  warningAt,
  type FieldPath,
  type Issue,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { describeValue } from '../../lib/documents/validate.ts'
import { isJsonObject } from '../../lib/json.ts'
import { forKind } from './case-parts.ts'
import { chosen, fieldsAs, proposeRole, readFields, settlingLine, slipOf, unknownField, type Field } from './fields.ts'
import { DANGEROUS, ROLES, roleOf, type Level, type Role, type SettledFields } from './vocabulary.ts'

/** Where the entries of a file are, and what it says for all of them. */
export interface Container {
  readonly entries: readonly EntryPlace[]
  readonly shared: readonly Field[]
  readonly issues: readonly Issue[]
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
  const nothing: Container = { entries: [], shared: [], issues: document.issues }
  if (document.issues.length > 0) return nothing
  const { value } = document
  if (typeof value !== 'object' || value === null) {
    const message = `expected a list of evals, or an object with "evals", got ${describeValue(value)}`
    return { ...nothing, issues: [errorAt(document, [], 'wrong-type', message)] }
  }
  const lists = findLists(value, settled)
  if (lists.length === 0 && readsLikeEntry(value, settled))
    return { ...nothing, entries: [{ path: [], text: null, shouldTrigger: null }] }
  const entries = lists.flatMap(({ path, list, shouldTrigger }) =>
    list.map((entry, index): EntryPlace => {
      return { path: [...path, index], text: typeof entry === 'string' ? entry : null, shouldTrigger }
    }),
  )
  const { fields, issues } = Array.isArray(value) ? { fields: [], issues: [] } : readShared(document, lists, settled)
  const isSound = issues.every(({ severity }) => severity === 'warning')
  const wrong: readonly Issue[] = !isSound
    ? []
    : lists.length === 0
      ? [
          errorAt(
            document,
            [],
            'missing-field',
            'no "evals" in the file; write { "evals": [...] } or a list of queries',
          ),
        ]
      : entries.length === 0
        ? [{ ...warningAt(document, [], 'empty-file', 'no eval in the file'), noEffect: true }]
        : []
  return { entries, shared: fields, issues: [...issues, ...wrong] }
}

// Lists under a name for something else beside them are no lists of entries.
function readShared(
  document: ReadDocument,
  lists: readonly EntryList[],
  settled: SettledFields,
): { readonly fields: readonly Field[]; readonly issues: readonly Issue[] } {
  const value = document.value as Readonly<Record<string, unknown>>
  const isList = new Set(lists.map(({ path }) => path[0]))
  const listNames = Object.keys(value).filter((name) => listRole(name, settled) !== null)
  const wrong = listNames
    .filter((name) => !isList.has(name) && value[name] !== null)
    .map((name) => errorAt(document, [name], 'wrong-type', `expected a list, got ${describeValue(value[name])}`))
  // A slip in the name of a list is one only where there is no list.
  const others = Object.entries(value).filter(([name]) => !listNames.includes(name) && !isList.has(name))
  const slips = others.filter(([name]) => lists.length > 0 && listRole(slipOf(name, 'file') ?? '', settled) !== null)
  const rest = { ...document, value: Object.fromEntries(others.filter((other) => !slips.includes(other))) }
  const unlisted = slips
    .filter(([name]) => !/^[$_]/.test(name))
    .map(([name, content]) => unknownField(document, name, content, 'file'))
  const read = readFields(rest, 'file', settled)
  const beside = lists.flatMap(({ path: [name], path: { length } }) => (length === 2 && name !== undefined ? name : []))
  const unheard = [...new Set(beside)].flatMap((name) => besideDirected(documentAt(document, [name]), settled))
  return { fields: read.fields, issues: [...wrong, ...unlisted, ...read.issues, ...unheard] }
}

// What an object of lists of queries says beside them is said of nothing.
function besideDirected(document: ReadDocument, settled: SettledFields): readonly Issue[] {
  return Object.entries(document.value as object).flatMap(([name, content]: readonly [string, unknown]) => {
    const role = roleOf(name, 'file', settled)
    if (role === 'ignore' || /^[$_]/.test(name) || listRole(name, settled) !== null) return []
    if (role === null) return [unknownField(document, name, content, 'file')]
    return [noEffectAt(document, [name], 'has no effect here; write it at the top of the file')]
  })
}

function listRole(name: string, settled: SettledFields): Extract<Role, { readonly as: 'list' }> | null {
  const roleName = roleOf(name, 'file', settled)
  const role: Role | null = roleName === null ? null : ROLES[roleName]
  return role?.as === 'list' ? role : null
}

/** Finds every list of entries in a file that is a list or an object. */
export function findLists(value: object, settled: SettledFields): readonly EntryList[] {
  if (Array.isArray(value)) return [{ path: [], list: value, shouldTrigger: null }]
  return Object.entries(value).flatMap(([name, content]: readonly [string, unknown]): readonly EntryList[] => {
    const role = listRole(name, settled)
    if (Array.isArray(content)) return role === null ? [] : [{ path: [name], list: content, shouldTrigger: role.when }]
    // Under a name of its author, too, queries by their direction can be nothing else.
    return role === null && (roleOf(name, 'file', settled) !== null || DANGEROUS.has(name))
      ? []
      : findDirected(name, content, settled)
  })
}

// Lists of queries that an object holds by their direction.
function findDirected(name: string, content: unknown, settled: SettledFields): readonly EntryList[] {
  if (!isJsonObject(content)) return []
  const lists = Object.entries(content).flatMap(([when, list]: readonly [string, unknown]): readonly EntryList[] => {
    const shouldTrigger = listRole(when, settled)?.when ?? null
    return shouldTrigger === null || !Array.isArray(list) ? [] : [{ path: [name, when], list, shouldTrigger }]
  })
  return lists.every(({ list }) => list.every((entry) => isQuery(entry, settled))) ? lists : []
}

function isQuery(entry: unknown, settled: SettledFields): boolean {
  return typeof entry === 'string' || asks(entry, settled)
}

/** Why a file does not read like a suite. */
interface NoSuite {
  /** The end of a sentence about it. */
  readonly reason: string
  /** Whether it would if a name were settled; the reason says which. */
  readonly mayBecome: boolean
}

/** Why a file does not read like a suite; `null` when it does. */
export function whyNoSuite(value: unknown, settled: SettledFields): NoSuite | null {
  if (typeof value !== 'object' || value === null) return noSuite('contains neither a list nor an object')
  if (!Array.isArray(value) && readsLikeEntry(value, settled)) return null
  const lists = findLists(value, settled)
  if (lists.length === 0) return noSuite('contains no list of evals', howToSettle(value, 'file', LISTS, settled))
  const reads = ({ list, shouldTrigger }: EntryList): boolean =>
    shouldTrigger === null
      ? list.some((entry) => readsLikeEntry(entry, settled))
      : list.length > 0 && list.every((entry) => isQuery(entry, settled))
  if (lists.some(reads)) return null
  const entries = lists.flatMap(({ list }) => list)
  if (entries.length === 0) return noSuite(NO_ENTRY)
  const asking = entries.find((entry) => asks(entry, settled))
  const expecting = entries.find((entry) => hasRole(entry, EXPECTS, settled))
  const settling =
    asking === undefined
      ? howToSettle(expecting, 'entry', ASKS, settled)
      : howToSettle(asking, 'entry', EXPECTS, settled)
  return noSuite('has no entry with a prompt and an expectation', settling)
}

function noSuite(reason: string, settling = ''): NoSuite {
  return { reason: `${reason}${settling}`, mayBecome: settling !== '' }
}

// The line with which a name that its author has given a list, a prompt, or what is expected, would be read.
function howToSettle(value: unknown, level: Level, kinds: readonly Role['as'][], settled: SettledFields): string {
  if (!isJsonObject(value)) return ''
  for (const [name, content] of Object.entries(value)) {
    const roleName = roleOf(name, level, settled)
    // One word of a result may name a skill.
    const role =
      roleName === null ? proposeRole(name, content, level) : roleName === 'result' ? 'expected-skill' : 'ignore'
    if (kinds.includes(ROLES[role].as))
      return `. Its ${JSON.stringify(name)} may be one: add ${settlingLine(name, role)}`
  }
  return ''
}

const LISTS: readonly Role['as'][] = ['list']
const ASKS: readonly Role['as'][] = ['ask', 'turns']
const EXPECTS: readonly Role['as'][] = ['choice', 'context', 'direction', 'expect', 'route', 'skip']

/** The reason of a file that is a suite without cases. */
export const NO_ENTRY = 'contains no entry'

/** Whether a value asks an agent something and says what is expected. */
export function readsLikeEntry(value: unknown, settled: SettledFields): boolean {
  return asks(value, settled) && hasRole(value, EXPECTS, settled)
}

function asks(value: unknown, settled: SettledFields): boolean {
  return hasRole(value, ASKS, settled)
}

/** Whether an entry has a field of one of these roles. */
export function hasRole(
  value: unknown,
  roles: readonly Role['as'][],
  settled: SettledFields,
  level: Level = 'entry',
): boolean {
  if (!isJsonObject(value)) return false
  return Object.entries(value).some(([name, content]) => {
    const roleName = roleOf(name, level, settled)
    const role: Role | null = roleName === null ? null : ROLES[roleName]
    // What a result says is known by its value alone.
    const said = role?.as === 'choice' && role.isResult === true ? (chosen(content, role)?.role ?? null) : role
    return said !== null && roles.includes(said.as)
  })
}

/** The names that a file or an entry has for its skill. */
export function subjectsOf(value: unknown, level: Level, settled: SettledFields): readonly string[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, content]: readonly [string, unknown]) => {
    const role = roleOf(name, level, settled)
    return role === null || ROLES[role].as !== 'subject'
      ? []
      : [content].flat().filter((one) => typeof one === 'string')
  })
}

/** Remarks on what a file says for entries of a kind that it does not hold, and on a second setting of one meaning. */
export function unusedShared(
  document: ReadDocument,
  shared: readonly Field[],
  has: { readonly evals: boolean; readonly queries: boolean },
): readonly Issue[] {
  if (!has.evals && !has.queries) return []
  const settings = fieldsAs(shared, 'setting')
  const kinds = [...(has.evals ? (['eval'] as const) : []), ...(has.queries ? (['query'] as const) : [])]
  const used = kinds.flatMap((kind) =>
    (['runs', 'threshold', 'timeout'] as const).flatMap(
      (of) =>
        forKind(
          settings.filter(({ role }) => role.of === of),
          kind,
        )[0] ?? [],
    ),
  )
  const unused = settings.filter((one) => !used.includes(one))
  const common = fieldsAs(shared, 'expect')
  const remark = ({ name }: Field, why: string): Issue =>
    noEffectAt(documentAt(document, []), [name], `has no effect${why}`)
  return [
    ...(has.queries ? common : []).map((one) =>
      remark(
        one,
        has.evals ? ' on trigger queries; it applies to the evals' : ': the file contains only trigger queries',
      ),
    ),
    ...unused.map((one) => {
      const other = used.find(({ role }) => role.of === one.role.of)
      const only = has.evals ? 'no trigger query' : 'only trigger queries'
      return remark(
        one,
        other === undefined || one.role.kind !== undefined
          ? `: the file contains ${only}`
          : `: there is ${JSON.stringify(other.name)}`,
      )
    }),
  ]
}
