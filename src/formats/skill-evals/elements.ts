import type { DeclaredCheck } from '../../checks/checks.ts'
import {
  documentAt,
  errorAt,
  noEffectAt,
  valueAt,
  type Issue,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { checkRelativePath } from '../../lib/documents/relative-path.ts'
import { isJsonObject } from '../../lib/json.ts'
import { singleSpaced } from '../../lib/text.ts'
import type { Statement } from '../suite.ts'
import { unknownField } from './fields.ts'
import {
  checkNamed,
  findTypedChecks,
  inFile,
  looksIntoOutput,
  oppositeOf,
  readArguments,
  textIn,
  type ElementFields,
  type TypedChecks,
} from './typed-checks.ts'
import { ELEMENT_FIELDS, normalise, type Polarity, type SettledFields } from './vocabulary.ts'

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

/** Reads expectations: a sentence, a list, or an object that is one. `document` is theirs. */
export function readElements(document: ReadDocument, expecting: Expecting, settled: SettledFields): readonly Element[] {
  const { value } = document
  if (Array.isArray(value))
    return value.flatMap((_, index) => readElements(documentAt(document, [index]), expecting, settled))
  if (typeof value === 'string') return [readText(value, document, expecting)]
  if (isJsonObject(value)) return [readObject({ fields: value, document, expecting, settled })]
  return [{ issues: [errorAt(document, [], 'invalid-expectation', 'expected a text, or an object with "text"')] }]
}

function readText(written: string, document: ReadDocument, { polarity, of }: Expecting): Element {
  const text = singleSpaced(written)
  const at = document.positionOf([])
  const isTurned = polarity === 'must-not'
  if (of === 'file' && !/\s/.test(text) && checkRelativePath(text) === null)
    return declare([{ kind: 'file-exists', value: text }], isTurned, document)
  if (of === 'output') return declare([{ kind: 'contains', value: written }], isTurned, document)
  // "contains:total" is a check; with a blank after the colon it is a sentence.
  const [, type = '', value = ''] = /^([a-z]+(?:[-_][a-z]+)*):(\S.*)$/.exec(text) ?? []
  const alias = checkNamed(type)
  const checks = alias?.fields === undefined ? [] : readArguments(alias, { ...document, value }).checks
  if (checks.length > 0) return declare(checks, isTurned, document, text)
  return { statement: { text: isTurned ? `This must not be the case: ${text}` : text, at } }
}

/** Gives checks, or their opposites, their place, and the sentence of their author. */
function declare(
  checks: TypedChecks['checks'],
  isTurned: boolean,
  document: ReadDocument,
  sentence: string | null = null,
): Element {
  const at = document.positionOf([])
  const made: DeclaredCheck[] = []
  const issues: Issue[] = []
  let statement: Statement | undefined
  for (const asked of checks) {
    const check = isTurned ? oppositeOf(asked) : asked
    if (check !== null) made.push({ ...check, at, ...(sentence === null ? {} : { says: sentence }) })
    // No check has the opposite of an existing file, so the judge decides it.
    else if (asked.kind === 'file-exists') statement ??= { text: `${asked.value} does not exist`, at }
    else issues.push(errorAt(document, [], 'invalid-expectation', `${asked.kind} has no opposite`))
  }
  return { ...(statement === undefined ? {} : { statement }), checks: made, issues }
}

interface ObjectElement {
  readonly fields: ElementFields
  readonly document: ReadDocument
  readonly expecting: Expecting
  /** What the author says of names that no table has. */
  readonly settled: SettledFields
}

function readObject(one: ObjectElement): Element {
  const { fields, document, expecting } = one
  const off = valueAt(fields, 'disabled')
  if (off === true || (typeof off === 'string' && off.trim() !== ''))
    return { issues: [noEffectAt(document, [], 'has no effect: "disabled" takes it out')] }
  const held = valueAt(fields, 'check')
  if (isJsonObject(held)) return readHeld(one, held)
  const path = expecting.of === 'file' ? textIn(fields, ELEMENT_FIELDS.file) : null
  const found = findTypedChecks(fields, document)
  if (found.length === 0 && path !== null)
    return withUnread(readText(path.value, document, expecting), one, [path.name])
  return found.length === 0 ? readSentence(one) : readChecks(one, found)
}

// A sentence beside an object that says how it is checked: { "text": "Is polite", "check": { "contains": "Dear" } }.
function readHeld(one: ObjectElement, held: ElementFields): Element {
  const says = textIn(one.fields, ELEMENT_FIELDS.text)
  const made = readObject({ ...one, fields: held, document: documentAt(one.document, ['check']) })
  const read = ['check', says?.name ?? '']
  if (says === null) return withUnread(made, one, read)
  const checks = made.checks?.map((check) => ({ ...check, says: says.value }))
  if (checks !== undefined) return withUnread({ ...made, checks }, one, read)
  // What is not checked is judged by the sentence.
  return withUnread(readText(says.value, one.document, one.expecting), one, [says.name])
}

function readChecks(one: ObjectElement, found: readonly TypedChecks[]): Element {
  const { fields, document, expecting } = one
  const asked = found.flatMap(({ checks }) => checks)
  const read = found.flatMap((part) => part.read)
  const file = asked.some(looksIntoOutput) ? textIn(fields, ELEMENT_FIELDS.file, read) : null
  const checks = asked.flatMap((check) =>
    file === null || !looksIntoOutput(check) ? check : (inFile(check, file.value) ?? []),
  )
  if (checks.length < asked.length) return readSentence(one)
  const denials = Object.entries(ELEMENT_FIELDS.denied).filter(([name]) => typeof valueAt(fields, name) === 'boolean')
  const isDenied = denials.some(([name, denying]) => valueAt(fields, name) === denying)
  const sentence = textIn(fields, ELEMENT_FIELDS.text, read)
  const element = declare(checks, (expecting.polarity === 'must') === isDenied, document, sentence?.value)
  const issues = [...found.flatMap((part) => part.issues), ...(element.issues ?? [])]
  return withUnread({ ...element, issues }, one, [
    ...read,
    sentence?.name ?? '',
    file?.name ?? '',
    ...denials.map(([name]) => name),
  ])
}

function readSentence(one: ObjectElement): Element {
  const { fields, document, expecting } = one
  const type = textIn(
    fields,
    ELEMENT_FIELDS.type.filter((name) => name !== 'check'),
  )
  const says = textIn(fields, ELEMENT_FIELDS.text)
  // A name alone says little: where something else is there that is not known, the sentence may be that.
  const isOnlyName = says?.name === 'name' && Object.keys(fields).some((name) => name !== 'name' && name !== 'id')
  if (says === null || isOnlyName) return readSettled(one) ?? refuseSilent(document, type?.value)
  const file = textIn(fields, ELEMENT_FIELDS.file)
  const value = file === null ? null : textIn(fields, ['pattern', 'value', 'phrase', 'substring'])
  const detail = value === null ? '' : `: ${JSON.stringify(value.value)}`
  const text = file === null ? says.value : `${says.value} (file ${file.value}${detail})`
  const judged = { ...expecting, of: 'judge' as const }
  return withUnread(readText(text, document, judged), one, [says.name, file?.name ?? '', value?.name ?? ''])
}

// An author may say which field of an expectation is its sentence, as for a field of an eval.
function readSettled(one: ObjectElement): Element | null {
  const { fields, document, settled } = one
  for (const name of Object.keys(fields)) {
    const text = textIn(fields, [name])
    const role = settled.get(normalise(name))
    if (text !== null && (role === 'must' || role === 'must-not'))
      return withUnread(readText(text.value, document, { polarity: role, of: 'judge' }), one, [name])
  }
  return null
}

// Says what is wrong with an expectation that says nothing.
function refuseSilent(document: ReadDocument, type: string | undefined): Element {
  const message =
    type === undefined
      ? 'no field says what has to hold. Write "text"'
      : checkNamed(type) !== null
        ? `${type} is no check of such a file. Write "contains" and the path of one file, or "text" for a sentence that the judge decides`
        : `unknown type ${JSON.stringify(type)}. Write "text" for a sentence that the judge decides, or a type such as "contains", "file_exists" or "tool-called"`
  return { issues: [errorAt(document, [], 'invalid-expectation', message)] }
}

// With remarks on the fields that were not read. What an expectation is called is for people.
function withUnread(element: Element, { fields, document, settled }: ObjectElement, read: readonly string[]): Element {
  const known = new Set([...LABELS, ...read])
  const unread = Object.keys(fields).filter(
    (name) => !known.has(name) && !/^[$_]/.test(name) && settled.get(normalise(name)) !== 'ignore',
  )
  const issues = unread.map((name) => unknownField(document, name))
  return { ...element, issues: [...(element.issues ?? []), ...issues] }
}

const LABELS: readonly string[] = ['id', 'name']
