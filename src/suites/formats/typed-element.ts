import { checkRelativePath } from '../../documents/relative-path.ts'
import { errorAt, noEffectAt, valueAt, type FieldPath, type ReadDocument } from '../../documents/document.ts'
import {
  denialsOf,
  isDenied,
  KNOWN_KINDS,
  kindOf,
  PATH_FIELDS,
  VALUE_FIELDS,
  type Asked,
  type How,
} from './check-kinds.ts'
import { readListed, withPlace, type ListedTexts } from './element-lists.ts'
import { UNKNOWN } from './unknown-field.ts'
import type { Issue, Position } from '../../documents/issue.ts'
import type { DeclaredCheck, Statement } from '../suite.ts'

/** What one element of a list of expectations became. */
export interface Element {
  readonly statement?: Statement
  readonly check?: DeclaredCheck
  readonly checks?: readonly DeclaredCheck[]
  readonly context?: Described
  readonly issues?: readonly Issue[]
}

/** A good result as a whole, and the field of the entry that describes it. */
export interface Described extends Statement {
  readonly document: ReadDocument
  readonly field: FieldPath
}

/** A sentence for the judge, or a file that has to exist. */
export function textElement(text: string, at: Position, how: How): Element {
  const tidy = text.replaceAll(/\s+/g, ' ').trim()
  if (how === 'file') return fileElement(tidy, at)
  const [, kind = '', value = ''] = PREFIXED.exec(tidy) ?? []
  const asked = kind === '' ? null : kindOf(kind.replaceAll('_', '-').replace('matches', 'regex'), how)
  const check = asked === null ? null : checkOf(asked, value, '', { at, says: tidy })
  if (check !== null) return { check }
  if (how === 'required') return { statement: { text: tidy, at } }
  return {
    statement: { text: `${how === 'forbidden' ? 'This must not be the case' : 'This must be included'}: ${tidy}`, at },
  }
}

// No blank after the colon, so it is no sentence.
const PREFIXED = /^((?:not[-_])?(?:contains|matches|regex)|file[-_]exists):(\S.*)$/

function fileElement(path: string, at: Position): Element {
  if (/\s/.test(path) || checkRelativePath(path) !== null) return { statement: { text: path, at } }
  return { check: { kind: 'file-exists', value: path, at } }
}

type Fields = Readonly<Record<string, unknown>>

/** Reads an expectation that is an object. A kind that is known is a check, every other one is a text for the judge. */
export function readTyped(element: Fields, document: ReadDocument, at: Position, how: How): Element {
  const path = how === 'file' ? fieldOf(element, ['path', 'file', 'name']) : null
  if (path !== null) return withUnread(fileElement(path.value, at), element, document, [path.field])
  const named = fieldOf(element, ['type', 'kind'])
  const kind = named?.value.toLowerCase().replaceAll(/[\s_]/g, '-') ?? ''
  const isAboutFile = kind !== 'file-exists' && textOf(element, ['path', 'file']) !== null
  const statement = fieldOf(element, TEXT_FIELDS)
  const listed = isAboutFile ? null : readListed(element, kind, how, isDenied(element))
  if (listed !== null) return readTexts(listed, { element, document, at, says: statement }, how)
  const short = named === null && !isAboutFile ? readShort(element, how) : null
  if (short !== null) return readKnown(short.kind, short, { element, document, at, says: statement })
  const asked = isAboutFile ? null : kindOf(kind, how, isDenied(element))
  if (asked !== null) return readKnown(kind, asked, { element, document, at, says: statement })
  const absent = kind === 'file-exists' ? fieldOf(element, PATH_FIELDS) : null
  if (absent !== null && (statement === null || how !== 'forbidden')) {
    const own = statement === null ? [] : [statement.field]
    const read = ['type', 'kind', absent.field, ...denialsOf(element), ...own]
    return withUnread(textElement(`${absent.value} does not exist`, at, 'required'), element, document, read)
  }
  if (statement === null) {
    const message = `unknown type; write "text", or one of the types ${KNOWN_KINDS}`
    return { issues: [errorAt(document, [], 'invalid-expectation', message)] }
  }
  const [file, value] = [fieldOf(element, ['path', 'file']), fieldOf(element, ['pattern', ...VALUE_FIELDS])]
  const details = [
    ...(file === null ? [] : [TRANSCRIPT.test(file.value) ? 'in the transcript' : `file ${file.value}`]),
    ...(value === null ? [] : [JSON.stringify(value.value)]),
  ]
  const text = isAboutFile ? `${statement.value} (${details.join(': ')})` : statement.value
  const means = named !== null && JUDGED.has(kind) ? [named.field] : []
  const read = [statement.field, ...means, ...(isAboutFile ? [file?.field ?? '', value?.field ?? ''] : [])]
  return withUnread(textElement(text, at, how), element, document, read)
}

// Where another tool stores what its agent wrote, and no file of the workspace.
const TRANSCRIPT = /(?:^|\/)transcript\.[a-z]+$/

// Of several texts: checks where the kind is one of ours, else one sentence.
function readTexts(listed: ListedTexts, { element, document, at, says }: KnownElement, how: How): Element {
  const own = says === null || listed.fields.includes(says.field) ? null : says
  const read = ['type', 'kind', ...listed.fields, ...denialsOf(element), ...(own === null ? [] : [own.field])]
  const checks = withPlace(listed, { at, ...(own === null ? {} : { says: own.value }) })
  const text = own === null ? `It ${listed.text}` : `${own.value} (it ${listed.text})`
  return withUnread(checks.length > 0 ? { checks } : textElement(text, at, how), element, document, read)
}

// Kinds that ask for a judge.
const JUDGED: ReadonlySet<string> = new Set([
  'llm',
  'llm-judge',
  'llm-rubric',
  'judge',
  'model',
  'model-graded',
  'rubric',
  'semantic',
  'qualitative',
])

/** What of an element is neither asked nor checked is named. */
function withUnread(made: Element, element: Fields, document: ReadDocument, read: readonly string[]): Element {
  const unread = Object.keys(element).filter((key) => !read.includes(key) && !key.startsWith('_'))
  return { ...made, issues: [...(made.issues ?? []), ...unread.map((key) => noEffectAt(document, [key], UNKNOWN))] }
}

interface KnownElement {
  readonly element: Fields
  readonly document: ReadDocument
  readonly at: Position
  readonly says: Field | null
}

function readKnown(kind: string, asked: Asked, { element, document, at, says }: KnownElement): Element {
  const found = fieldOf(element, asked.fields)
  if (found === null) {
    const message = `a ${kind} needs ${asked.fields[0] ?? 'a value'}`
    return { issues: [errorAt(document, [], 'missing-field', message)] }
  }
  const read = ['type', 'kind', found.field, ...denialsOf(element), ...(says === null ? [] : [says.field])]
  const own = { at, ...(says === null || says.field === found.field ? {} : { says: says.value }) }
  const flags = textOf(element, ['flags']) ?? ''
  const check = checkOf(asked, found.value, flags, own)
  if (check !== null) return withUnread({ check }, element, document, isPattern(asked) ? [...read, 'flags'] : read)
  const made = readPattern(found.value, flags)
  const problem = problemOf(made.pattern, made.flags) ?? ''
  return { issues: [errorAt(document, [found.field], 'invalid-pattern', problem)] }
}

function isPattern({ kind }: Asked): boolean {
  return kind === 'matches' || kind === 'not-matches'
}

/** `null`: the pattern is no regular expression. */
function checkOf(
  asked: Asked,
  value: string,
  written: string,
  own: { readonly at: Position; readonly says?: string },
): DeclaredCheck | null {
  const { kind } = asked
  if (kind !== 'matches' && kind !== 'not-matches') return { kind, value, ...own }
  const { pattern, flags } = readPattern(value, written)
  return problemOf(pattern, flags) === null ? { kind, value: pattern, flags, ...own } : null
}

/** Fields of an element that hold its sentence, in the order in which one is chosen. */
export const TEXT_FIELDS: readonly string[] = [
  'text',
  'assertion',
  'expectation',
  'description',
  'check',
  'criteria',
  'criterion',
  'statement',
  'requirement',
  'pass_if',
  'rubric',
  'question',
  'name',
]

// The kind may be the name of the field: { "contains": "Dear" }.
function readShort(element: Fields, how: How): Asked | null {
  for (const [field, value] of Object.entries(element)) {
    const asked = typeof value === 'string' ? kindOf(field.replaceAll('_', '-'), how) : null
    if (asked !== null) return { ...asked, fields: [field] }
  }
  return null
}

/** Patterns come from Python, where flags stand in front. */
function readPattern(written: string, flags: string): { readonly pattern: string; readonly flags: string } {
  const [, inline = '', rest] = /^\(\?([imsu]+)\)([\S\s]*)$/.exec(written) ?? []
  const all = `${flags}${inline}`.toLowerCase().replaceAll(/[^imsu]/g, '')
  return { pattern: rest ?? written, flags: [...new Set(all)].join('') }
}

function problemOf(pattern: string, flags: string): string | null {
  try {
    // Thrown away: only whether it can be made is of interest.
    RegExp(pattern, flags)
    return null
  } catch (error) {
    return `is not a JavaScript regular expression: ${(error as Error).message}`
  }
}

/** The first of the fields that holds a text. */
export function textOf(element: Fields, fields: FieldPath): string | null {
  return fieldOf(element, fields)?.value ?? null
}

interface Field {
  readonly field: string
  readonly value: string
}

function fieldOf(element: Fields, fields: FieldPath): Field | null {
  for (const field of fields) {
    const value = valueAt(element, field)
    if (typeof value === 'string' && value.trim() !== '') return { field: String(field), value }
  }
  return null
}
