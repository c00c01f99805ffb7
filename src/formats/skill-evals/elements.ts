import type { DeclaredCheck } from '../../checks/checks.ts'
import { patternProblem, readPattern } from '../../checks/matches.ts'
import {
  documentAt,
  errorAt,
  noEffectAt,
  valueAt,
  type Issue,
  type Position,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { nearestName } from '../../lib/documents/nearest-name.ts'
import { checkRelativePath, normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { isJsonObject } from '../../lib/json.ts'
import { escapePattern, shorten, singleSpaced } from '../../lib/text.ts'
import type { Statement } from '../suite.ts'
import { proposePolarity } from './fields.ts'
import { TABLE_TYPES, isTableType, readTableChecks } from './table-checks.ts'
import {
  CHECK_TYPES,
  ELEMENT_FIELDS,
  LIST_TYPES,
  SENTENCE_TYPES,
  TYPE_DENIALS,
  TYPE_WORDS,
  normalise,
  type CheckType,
  type Polarity,
  type SettledFields,
} from './vocabulary.ts'

/** What one expectation became. */
export interface Element {
  readonly statement?: Statement
  readonly checks?: readonly DeclaredCheck[]
  readonly issues?: readonly Issue[]
}

/** What the list that holds an expectation says of it. */
interface Expecting {
  readonly polarity: Polarity
  /** Whether a text is for the judge, has to be in the output, or is the path of a file. */
  readonly of: 'file' | 'judge' | 'output'
}

type Fields = Readonly<Record<string, unknown>>

/** Reads expectations: a sentence, a list, or an object that is one. `document` is theirs. */
export function readElements(document: ReadDocument, expecting: Expecting, settled: SettledFields): readonly Element[] {
  const { value } = document
  if (Array.isArray(value))
    return value.flatMap((_, index) => readElements(documentAt(document, [index]), expecting, settled))
  if (typeof value === 'string') return [readText(value, document.positionOf([]), expecting)]
  if (isJsonObject(value)) return [readObject({ fields: value, document, expecting, settled })]
  return [{ issues: [errorAt(document, [], 'invalid-expectation', 'expected a text, or an object with "text"')] }]
}

function readText(written: string, at: Position, { polarity, of }: Expecting): Element {
  const text = singleSpaced(written)
  if (of === 'file' && !/\s/.test(text) && checkRelativePath(text) === null)
    return polarity === 'must'
      ? { checks: [{ kind: 'file-exists', value: text, at }] }
      : { statement: { text: `${text} does not exist`, at } }
  if (of === 'output')
    return { checks: [{ kind: polarity === 'must' ? 'contains' : 'not-contains', value: written, at }] }
  // "contains:total": no blank after the colon, so it is no sentence.
  const [, type = '', value = ''] = /^([a-z]+(?:[-_][a-z]+)*):(\S.*)$/.exec(text) ?? []
  const checkType = checkTypeOf(type)
  const checks = checkType === null ? null : makeChecks(turned(checkType, polarity), [value], '')
  if (checks !== null && 'made' in checks) return { checks: checks.made.map((one) => ({ ...one, at, says: text })) }
  return { statement: { text: polarity === 'must' ? text : `This must not be the case: ${text}`, at } }
}

interface ObjectElement {
  readonly fields: Fields
  readonly document: ReadDocument
  readonly expecting: Expecting
  /** What the author says of names that no table has. */
  readonly settled: SettledFields
}

function readObject(one: ObjectElement): Element {
  const { fields, document, expecting } = one
  const off = ELEMENT_FIELDS.disabled.find((name) => isOn(valueAt(fields, name)))
  if (off !== undefined) return { issues: [noEffectAt(document, [], `has no effect: "${off}" takes it out`)] }
  const held = valueAt(fields, 'check')
  if (isJsonObject(held)) return readHeld(one, held)
  const at = document.positionOf([])
  const table = readTableChecks(fields, document, expecting.polarity)
  if (table !== null) {
    const sentence = textIn(
      fields,
      ELEMENT_FIELDS.text.filter((name) => !table.read.includes(name)),
    )
    const checks = table.checks.map((check) => (sentence === null ? check : { ...check, says: sentence.value }))
    const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !table.read.includes(name)))
    const restChecks = checksAsked(rest, null)
    if (restChecks.length === 0)
      return withUnread({ checks, issues: table.issues }, one, [...table.read, sentence?.name ?? ''])
    const further = readChecks({ ...one, fields: rest }, restChecks, sentence)
    return {
      ...further,
      checks: [...checks, ...(further.checks ?? [])],
      issues: [...table.issues, ...(further.issues ?? [])],
    }
  }
  const path = expecting.of === 'file' ? textIn(fields, ELEMENT_FIELDS.file) : null
  if (path !== null) return withUnread(readText(path.value, at, expecting), one, [path.name])
  const type = textIn(
    fields,
    ELEMENT_FIELDS.type.filter((name) => name !== 'check' || isCheckType(valueAt(fields, name))),
  )
  const askedChecks = checksAsked(fields, type)
  const says = textIn(
    fields,
    ELEMENT_FIELDS.text.filter((name) => name !== type?.name),
  )
  const file = askedChecks.some(({ type: { kind } }) => kind === 'file-exists')
    ? null
    : textIn(fields, ELEMENT_FIELDS.file)
  if (askedChecks.length > 0 && (file === null || canLookInto(file.value, askedChecks)))
    return readChecks(one, askedChecks, says, file)
  const say = type === null ? undefined : SENTENCE_TYPES[normalise(type.value)]
  const name = textIn(fields, ELEMENT_FIELDS.named)
  if (say !== undefined && type !== null && name !== null)
    return withUnread(readText(say(name.value), at, expecting), one, [type.name, name.name])
  return readSentence(one, says, file)
}

// No check looks into a file for a pattern, or for any one of several texts: that is for the judge.
function canLookInto(file: string, askedChecks: readonly Asked[]): boolean {
  const isOneFile = checkRelativePath(file) === null && !/[*?{}[\]]/.test(file)
  return (
    isOneFile && askedChecks.every(({ type, values }) => type.kind in IN_FILES && !(type.isAny && values.length > 1))
  )
}

const IN_FILES = { contains: 'file-contains', 'not-contains': 'file-not-contains' } as const

function isOn(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.trim() !== '')
}

// A sentence beside an object that says how it is checked: { "text": "Is polite", "check": { "contains": "Dear" } }.
function readHeld(one: ObjectElement, held: Fields): Element {
  const says = textIn(one.fields, ELEMENT_FIELDS.text)
  const document = documentAt(one.document, ['check'])
  const made = readObject({ ...one, fields: held, document })
  const ownChecks = made.checks?.map((check) => (says === null ? check : { ...check, says: says.value }))
  // What is not checked is judged by the sentence.
  const element =
    ownChecks === undefined && says !== null ? readText(says.value, one.document.positionOf([]), one.expecting) : made
  const unread =
    ownChecks === undefined && says !== null ? [noEffectAt(one.document, ['check'], UNKNOWN)] : (made.issues ?? [])
  return withUnread({ ...element, ...(ownChecks === undefined ? {} : { checks: ownChecks }), issues: unread }, one, [
    'check',
    says?.name ?? '',
  ])
}

/** A check by the type that an element names, or by the name of a field: `{ "contains": "Dear" }`. */
interface Asked {
  readonly type: CheckType
  readonly values: readonly string[]
  /** The field that holds the values. */
  readonly field: string | null
  /** The fields that are read. */
  readonly read: readonly string[]
}

function checksAsked(fields: Fields, named: TextField | null): readonly Asked[] {
  const type = named === null ? null : checkTypeOf(named.value)
  if (named !== null && type !== null) {
    const field = type.fields.find((name) => name !== named.name && textsIn(valueAt(fields, name)).length > 0) ?? null
    const values = field === null ? [] : textsIn(valueAt(fields, field))
    return [{ type, values, field, read: [named.name, ...(field === null ? [] : [field])] }]
  }
  if (named !== null) return []
  return Object.entries(fields).flatMap(([field, value]: readonly [string, unknown]): readonly Asked[] => {
    const [checkType, values] = [checkTypeOf(field), textsIn(value)]
    return checkType === null || values.length === 0 ? [] : [{ type: checkType, values, field, read: [field] }]
  })
}

function checkTypeOf(name: string): CheckType | null {
  const key = normalise(name.trim())
  return ALL_TYPES.get(key) ?? null
}

const ALL_TYPES: ReadonlyMap<string, CheckType> = new Map(Object.entries({ ...CHECK_TYPES, ...LIST_TYPES }))

/** Whether a name is that of a type of check. */
export function isCheckType(value: unknown): boolean {
  return typeof value === 'string' && (checkTypeOf(value) !== null || isTableType(value))
}

function readChecks(
  one: ObjectElement,
  askedChecks: readonly Asked[],
  says: TextField | null,
  file: TextField | null = null,
): Element {
  const { fields, document, expecting } = one
  const fieldsRead = [...askedChecks.flatMap(({ read }) => read), file?.name ?? '']
  const sentence = says === null || fieldsRead.includes(says.name) ? null : says
  const denials = Object.entries(ELEMENT_FIELDS.denied).filter(([name]) => typeof valueAt(fields, name) === 'boolean')
  const isDenied = denials.some(([name, denying]) => valueAt(fields, name) === denying)
  const polarity: Polarity = (expecting.polarity === 'must') === isDenied ? 'must-not' : 'must'
  const flags = textIn(fields, ['flags'])
  const at = document.positionOf([])
  const made = askedChecks.map(({ type, values, field }): Element => {
    const [first] = values
    if (first === undefined) {
      const message = `a check of this type needs ${JSON.stringify(type.fields[0])}`
      return { issues: [errorAt(document, [], 'missing-field', message)] }
    }
    // No check has the opposite of an existing file, so the judge decides it.
    if (type.kind === 'file-exists' && polarity === 'must-not')
      return { statement: { text: `${first} does not exist`, at } }
    const result = makeChecks(turned(type, polarity), values, flags?.value ?? '')
    if ('problem' in result)
      return { issues: [errorAt(document, field === null ? [] : [field], 'invalid-pattern', result.problem)] }
    const checks = result.made.map((check) => inFile(check, file))
    return { checks: checks.map((check) => ({ ...check, at, ...(sentence === null ? {} : { says: sentence.value }) })) }
  })
  const statement = made.find((element) => element.statement !== undefined)?.statement
  const element = {
    ...(statement === undefined ? {} : { statement }),
    checks: made.flatMap(({ checks = [] }) => checks),
    issues: made.flatMap(({ issues = [] }) => issues),
  }
  return withUnread(element, one, [
    ...fieldsRead,
    sentence?.name ?? '',
    ...denials.map(([name]) => name),
    ...(flags === null ? [] : ['flags']),
  ])
}

function inFile(check: MadeCheck, file: TextField | null): MadeCheck {
  if (file === null || (check.kind !== 'contains' && check.kind !== 'not-contains')) return check
  return { kind: IN_FILES[check.kind], value: normalizeRelativePath(file.value), text: check.value }
}

function readSentence(one: ObjectElement, says: TextField | null, file: TextField | null): Element {
  const { fields, document, expecting } = one
  const at = document.positionOf([])
  // A name alone says little: where something else is there that is not known, the sentence may be that.
  const isOnlyName = says?.name === 'name' && Object.keys(fields).some((name) => name !== 'name' && name !== 'id')
  if (says === null || isOnlyName) return readSettled(one) ?? refuseSilent(one)
  const value = file === null ? null : textIn(fields, ['pattern', 'value', 'phrase', 'substring'])
  const detail = value === null ? '' : `: ${JSON.stringify(value.value)}`
  const text = file === null ? says.value : `${says.value} (file ${file.value}${detail})`
  const judged = { ...expecting, of: 'judge' as const }
  return withUnread(readText(text, at, judged), one, [says.name, file?.name ?? '', value?.name ?? ''])
}

// An author may say which field of an expectation is its sentence, as for a field of an eval.
function readSettled(one: ObjectElement): Element | null {
  const { fields, document, settled } = one
  for (const name of Object.keys(fields)) {
    const text = textIn(fields, [name])
    const role = settled.get(normalise(name))
    if (text !== null && (role === 'must' || role === 'must-not'))
      return withUnread(readText(text.value, document.positionOf([]), { polarity: role, of: 'judge' }), one, [name])
  }
  return null
}

// What is wrong with an expectation that says nothing, and the line that may settle it.
function refuseSilent({ fields, document }: ObjectElement): Element {
  const refuse = (message: string, more: Partial<Issue> = {}): Element => ({
    issues: [{ ...errorAt(document, [], 'invalid-expectation', message), ...more }],
  })
  const type = textIn(fields, TYPE_FIELDS)
  if (type !== null) {
    const proposal = proposeType(type.value, fields)
    const hint = proposal === null ? '.' : `. ${proposal}.`
    return refuse(
      `unknown type ${JSON.stringify(type.value)}${hint} Write "text" for a sentence that the judge decides, or a type such as "contains", "file_exists" or "tool-called"`,
    )
  }
  const longest = Object.keys(fields)
    .flatMap((name) => (ELEMENT_NAMES.has(name) ? [] : (textIn(fields, [name]) ?? [])))
    .toSorted((a, b) => b.value.length - a.value.length)[0]
  const problem = 'no field says what has to hold. Write "text"'
  if (longest === undefined) return refuse(problem)
  const proposes = { field: longest.name, role: proposePolarity(longest.name) }
  const line = `"fields": { ${JSON.stringify(longest.name)}: ${JSON.stringify(proposes.role)} }`
  return refuse(`${problem}, run lint --fix, or add ${line} to evals/eval-config.json`, { proposes })
}

/** The check that a type may mean, as a line to write; `null` where no check says the same. */
function proposeType(type: string, fields: Fields): string | null {
  if (isCheckType(type)) return null
  const name = normalise(type.trim())
  const [, same = null, opposite = null] = TYPE_WORDS.find(([words]) => words.test(name)) ?? []
  const known =
    nearestName(name, [...Object.keys({ ...CHECK_TYPES, ...LIST_TYPES }), ...TABLE_TYPES]) ??
    (TYPE_DENIALS.test(name) ? opposite : same)
  if (known === null) return null
  const takesOneText = checkTypeOf(known) !== null || /^(?:(?:not-)?matches|no-tool|skill-|tool-)/.test(known)
  const value = takesOneText ? textIn(fields, TYPE_VALUES)?.value : undefined
  const written = value === undefined ? '...' : JSON.stringify(shorten(value, 80))
  return `For the check ${known} write ${JSON.stringify(known)}: ${written} in place of the type`
}

const TYPE_FIELDS = ['type', 'kind']
const TYPE_VALUES = [
  'pattern',
  'regex',
  'expected',
  'substring',
  'phrase',
  'path',
  'file',
  'tool',
  'tool_name',
  'skill',
  'value',
]

const ELEMENT_NAMES: ReadonlySet<string> = new Set([
  ...ELEMENT_FIELDS.text,
  ...ELEMENT_FIELDS.file,
  ...ELEMENT_FIELDS.named,
  'id',
])

interface TextField {
  readonly name: string
  readonly value: string
}

function textIn(fields: Fields, names: readonly string[]): TextField | null {
  for (const name of names) {
    const value = valueAt(fields, name)
    if (typeof value === 'string' && value.trim() !== '') return { name, value }
  }
  return null
}

function textsIn(value: unknown): readonly string[] {
  const texts = [value].flat()
  return texts.every((one) => typeof one === 'string' && one.trim() !== '') ? (texts as readonly string[]) : []
}

// With remarks on the fields that were not read. What an expectation is called is for people.
function withUnread(element: Element, { fields, document, settled }: ObjectElement, read: readonly string[]): Element {
  const unread = Object.keys(fields).filter(
    (name) => ![...LABELS, ...read].includes(name) && !/^[$_]/.test(name) && settled.get(normalise(name)) !== 'ignore',
  )
  const issues = unread.map((name) => {
    const type = TYPE_FIELDS.includes(name) ? (textIn(fields, [name])?.value ?? '') : ''
    const proposal = type === '' ? null : proposeType(type, fields)
    const why = proposal === null ? UNKNOWN : `has no effect: unknown type ${JSON.stringify(type)}. ${proposal}`
    return noEffectAt(document, [name], why)
  })
  return { ...element, issues: [...(element.issues ?? []), ...issues] }
}

const LABELS: readonly string[] = ['id', 'name']
const UNKNOWN = 'has no effect: unknown field of an expectation'

const OPPOSITES = {
  contains: 'not-contains',
  'not-contains': 'contains',
  matches: 'not-matches',
  'not-matches': 'matches',
  'file-exists': 'file-exists',
} as const satisfies Record<CheckType['kind'], CheckType['kind']>

/** A type of check, or its opposite. */
function turned(type: CheckType, polarity: Polarity): CheckType {
  return polarity === 'must' ? type : { ...type, kind: OPPOSITES[type.kind] }
}

/** A check without its place. */
type MadeCheck =
  | { readonly kind: 'contains' | 'file-exists' | 'not-contains'; readonly value: string }
  | { readonly kind: 'file-contains' | 'file-not-contains'; readonly value: string; readonly text: string }
  | { readonly kind: 'matches' | 'not-matches'; readonly value: string; readonly flags: string }

/**
 * The checks of a type for its values, or why one of them is no pattern. Of several values all have to hold, or any one:
 * then they become one pattern. Of what must not be there, none may be.
 */
function makeChecks(
  { kind, isAny }: CheckType,
  values: readonly string[],
  flags: string,
): { readonly made: readonly MadeCheck[] } | { readonly problem: string } {
  if (kind === 'contains' && isAny === true && values.length > 1)
    return { made: [{ kind: 'matches', value: values.map(escapePattern).join('|'), flags: '' }] }
  if (kind !== 'matches' && kind !== 'not-matches') return { made: values.map((value) => ({ kind, value })) }
  const read = values.map((value) => readPattern(value, flags))
  const [problem] = read.flatMap((one) => patternProblem(one) ?? [])
  if (problem !== undefined) return { problem }
  return { made: read.map((one) => ({ kind, ...one })) }
}
