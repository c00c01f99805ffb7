import { isJsonObject } from '../../../../json.ts'
import { documentAt, errorAt, noEffectAt, valueAt, type ReadDocument } from '../../../../documents/document.ts'
import {
  denialsOf,
  forbids,
  isKind,
  isDenied,
  KNOWN_KINDS,
  kindOf,
  PATH_FIELDS,
  VALUE_FIELDS,
  type Asked,
  type How,
} from './check-kinds.ts'
import { isCommand, NO_COMMANDS, unrunCommands } from './command-element.ts'
import { fieldOf, TEXT_FIELDS, textOf, unreadIn, type ElementFields, type TextField } from './element-fields.ts'
import { readListed, readNamed, withPlace } from './element-lists.ts'
import { makeCheck } from './make-check.ts'
import { isSentence } from './sentences.ts'
import { fileElement, textElement, type Element } from './text-element.ts'
import { sayLevel, sayPattern, sayTool, sayUse, sayValue } from './worded-kind.ts'
import type { Position } from '../../../../documents/issue.ts'

/** An element, and what several of the readers below look at. */
interface TypedElement {
  readonly element: ElementFields
  readonly document: ReadDocument
  readonly at: Position
  readonly how: How
  /** Its type with hyphens; empty where it has none. */
  readonly kind: string
  /** Whether it is about what a file contains, which no check looks at. */
  readonly isAboutFile: boolean
  /** Its sentence. */
  readonly says: TextField | null
}

type Reader = (typed: TypedElement) => Element | null

/**
 * Reads an expectation that is an object: `{ "type": "contains", "value": "Dear" }`, `{ "text": "It greets." }`. A kind
 * that is known is a check, every other one is a text for the judge.
 */
export function readTyped(element: ElementFields, document: ReadDocument, at: Position, how: How): Element {
  const kind = textOf(element, TYPE_FIELDS)?.toLowerCase().replaceAll(/[\s_]/g, '-') ?? ''
  const isAboutFile = kind !== 'file-exists' && textOf(element, FILE_FIELDS) !== null
  const says = fieldOf(element, JUDGED.has(kind) ? [...TEXT_FIELDS, 'value', 'prompt'] : TEXT_FIELDS)
  const typed: TypedElement = { element, document, at, how, kind, isAboutFile, says }
  for (const read of READERS) {
    const result = read(typed)
    if (result !== null) return result
  }
  const message = `unknown type; write "text", or one of the types ${KNOWN_KINDS}`
  return { issues: [errorAt(document, [], 'invalid-expectation', message)] }
}

const TYPE_FIELDS = ['type', 'kind']
const FILE_FIELDS = ['path', 'file']

// In this order: the first one that reads an element decides what it is.
const READERS: readonly Reader[] = [
  readRetired,
  readHeldCheck,
  readFile,
  readUse,
  readSpoken,
  readCommand,
  readTexts,
  readShort,
  readKnown,
  readAbsentFile,
  readSentence,
  readValue,
]

// With remarks on the fields that are not among those that were read.
function made(element: Element, { element: fields, document }: TypedElement, read: readonly string[]): Element {
  return { ...element, issues: [...(element.issues ?? []), ...unreadIn(fields, document, read)] }
}

function readRetired({ element, document }: TypedElement): Element | null {
  const field = RETIRED.find((name) => isOn(valueAt(element, name)))
  return field === undefined ? null : { issues: [noEffectAt(document, [], `has no effect: "${field}" takes it out`)] }
}

// Fields by which an author keeps an expectation and takes it out of the run.
const RETIRED = ['retired', 'disabled', 'deprecated', 'skip', 'skipped'] as const

function isOn(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.trim() !== '')
}

// A sentence beside an object that says how it is checked: { "text": "Is polite", "check": { "contains": "Dear" } }. The
// name of a kind is one as well: { "check": "contains", "value": "Dear" }.
function readHeldCheck(typed: TypedElement): Element | null {
  const { element, document, at, how, says } = typed
  const held = valueAt(element, 'check')
  if (typeof held === 'string' && isKind(held)) {
    const { check: type, ...others } = element
    return readTyped({ ...others, type }, document, at, how)
  }
  if (!isJsonObject(held)) return null
  const own = says === null || textOf(held, TEXT_FIELDS) !== null ? held : { ...held, assertion: says.value }
  const result = readTyped(own, documentAt(document, ['check']), at, how)
  return made(result, typed, ['check', says?.field ?? ''])
}

function readFile(typed: TypedElement): Element | null {
  const path = typed.how === 'file' ? fieldOf(typed.element, [...FILE_FIELDS, 'name']) : null
  return path === null ? null : made(fileElement(path.value, typed.at), typed, [path.field])
}

function readUse(typed: TypedElement): Element | null {
  const { element, at, how, kind, says } = typed
  const use = says === null || says.field === 'name' ? sayUse(kind, element) : null
  return use === null ? null : made(textElement(use.text, at, how), typed, [...TYPE_FIELDS, ...use.fields])
}

// What an element says by several of its fields together.
function readSpoken(typed: TypedElement): Element | null {
  const { element, at, how, kind } = typed
  const spoken = sayLevel(element) ?? sayTool(kind, element) ?? sayPattern(element)
  return spoken === null ? null : made(textElement(spoken.text, at, how), typed, [...TYPE_FIELDS, ...spoken.fields])
}

// What a command would show can be judged where the author says it in words.
function readCommand(typed: TypedElement): Element | null {
  const { element, document, at, how, kind, says } = typed
  if (!isCommand(element, kind)) return null
  if (says === null || !isSentence(says.value)) {
    const message = `is not run: ${NO_COMMANDS}. Write a sentence that says what has to hold`
    return { issues: [errorAt(document, [], 'invalid-expectation', message)] }
  }
  const issues = unrunCommands(element, document)
  const commands = issues.map(({ field }) => field.split('.').at(-1) ?? '')
  return made({ ...textElement(says.value, at, how), issues }, typed, [says.field, ...commands])
}

// Of several texts: checks where the kind is one of ours, else one sentence.
function readTexts(typed: TypedElement): Element | null {
  const { element, at, how, kind, isAboutFile, says } = typed
  const isNamed = !isAboutFile && textOf(element, TYPE_FIELDS) === null
  const named = isNamed ? readNamed(element, how) : null
  const listed = named ?? (isAboutFile ? null : readListed(element, kind, how, isDenied(element)))
  if (listed === null) return null
  const own = says === null || listed.fields.includes(says.field) ? null : says
  const read = [...TYPE_FIELDS, ...listed.fields, ...denialsOf(element), ...(own === null ? [] : [own.field])]
  const checks = withPlace(listed, { at, ...(own === null ? {} : { says: own.value }) })
  const text = own === null ? `It ${listed.text}` : `${own.value} (it ${listed.text})`
  return made(checks.length > 0 ? { checks } : textElement(text, at, how), typed, read)
}

// The kind may be the name of the field: { "contains": "Dear" }.
function readShort(typed: TypedElement): Element | null {
  const { element, how, isAboutFile } = typed
  if (isAboutFile || textOf(element, TYPE_FIELDS) !== null) return null
  for (const [field, value] of Object.entries(element)) {
    const asked = typeof value === 'string' ? kindOf(field.replaceAll('_', '-'), how) : null
    if (asked !== null) return check(typed, { ...asked, fields: [field] })
  }
  const pattern = textOf(element, ['pattern']) === null ? null : kindOf('regex', how)
  return pattern === null ? null : check(typed, pattern)
}

function readKnown(typed: TypedElement): Element | null {
  const { element, how, kind, isAboutFile } = typed
  const isPattern = OF_OUTPUT.has(kind) && textOf(element, ['pattern', 'regex']) !== null
  const asked = isAboutFile ? null : kindOf(isPattern ? 'regex' : kind, how, isDenied(element))
  return asked === null ? null : check(typed, asked)
}

// Of a pattern they say where it is looked for.
const OF_OUTPUT: ReadonlySet<string> = new Set(['answer', 'content', 'message', 'output', 'pattern', 'response'])

function check(typed: TypedElement, asked: Asked): Element {
  const { element, document, at, kind, says } = typed
  const found = fieldOf(element, asked.fields)
  if (found === null) {
    const message = `a ${kind || asked.kind} needs ${asked.fields[0] ?? 'a value'}`
    return { issues: [errorAt(document, [], 'missing-field', message)] }
  }
  const own = { at, ...(says === null || says.field === found.field ? {} : { says: says.value }) }
  const result = makeCheck(asked, { value: found.value, flags: textOf(element, ['flags']) ?? '' }, own)
  if ('problem' in result) return { issues: [errorAt(document, [found.field], 'invalid-pattern', result.problem)] }
  const isPattern = asked.kind === 'matches' || asked.kind === 'not-matches'
  const read = [...TYPE_FIELDS, found.field, ...denialsOf(element), ...(says === null ? [] : [says.field])]
  return made(result, typed, isPattern ? [...read, 'flags'] : read)
}

// No check has the opposite of an existing file, so the judge decides it.
function readAbsentFile(typed: TypedElement): Element | null {
  const { element, at, how, kind, says } = typed
  const path = kind === 'file-exists' ? fieldOf(element, PATH_FIELDS) : null
  if (path === null || (says !== null && forbids(how))) return null
  const own = says === null ? [] : [says.field]
  const read = [...TYPE_FIELDS, path.field, ...denialsOf(element), ...own]
  return made(textElement(`${path.value} does not exist`, at, 'required'), typed, read)
}

function readSentence(typed: TypedElement): Element | null {
  const { element, at, how, kind, isAboutFile, says } = typed
  if (says === null) return null
  const type = fieldOf(element, TYPE_FIELDS)
  const means = type !== null && JUDGED.has(kind) ? [type.field] : []
  if (!isAboutFile) return made(textElement(says.value, at, how), typed, [says.field, ...means])
  const [file, value] = [fieldOf(element, FILE_FIELDS), fieldOf(element, ['pattern', ...VALUE_FIELDS])]
  const details = [
    ...(file === null ? [] : [TRANSCRIPT.test(file.value) ? 'in the transcript' : `file ${file.value}`]),
    ...(value === null ? [] : [JSON.stringify(value.value)]),
  ]
  const text = `${says.value} (${details.join(': ')})`
  return made(textElement(text, at, how), typed, [says.field, ...means, file?.field ?? '', value?.field ?? ''])
}

// Where another tool stores what its agent wrote, and no file of the workspace.
const TRANSCRIPT = /(?:^|\/)transcript\.[a-z]+$/

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

function readValue(typed: TypedElement): Element | null {
  const { element, at, how, kind } = typed
  const own = sayValue(kind, element)
  if (own === null) return null
  const { statement, ...other } = textElement(own.text, at, how)
  const fact = statement === undefined ? other : { statement: { ...statement, worded: true as const } }
  return made(fact, typed, [...own.fields, ...TYPE_FIELDS])
}
