import { documentAt, errorAt, noEffectAt, type ReadDocument } from '../../../../documents/document.ts'
import {
  ARTIFACT_FIELDS,
  CONTEXT_FIELDS,
  DENYING_FIELDS,
  ELEMENT_FIELDS,
  FORBIDDEN_FIELDS,
  hasAny,
  INCLUDED_FIELDS,
} from './skill-fields.ts'
import { TEXT_FIELDS, textOf } from './element-fields.ts'
import { textElement, type Described, type Element } from './text-element.ts'
import { readTyped } from './typed-element.ts'
import { isCheckName, type How } from './check-kinds.ts'
import { holdsSentences, SENTENCE_FIELDS } from './sentences.ts'
import { readFacts, type Fact } from './facts.ts'
import { softened, UNKNOWN } from './unknown-field.ts'
import { isMessage } from '../turns.ts'
import { isWorded, readWorded } from './worded-fields.ts'
import type { CommonList } from '../shared-fields.ts'
import type { ElementList, SkillEntry } from '../skill-entry.ts'
import type { Issue } from '../../../../documents/issue.ts'
import type { DeclaredCheck, Statement } from '../../../suite.ts'

/** What an entry expects: statements for the judge, checks that need none, and a good result as a whole. */
export interface Expectations {
  readonly statements: readonly Statement[]
  readonly checks: readonly DeclaredCheck[]
  readonly context: readonly Described[]
  readonly issues: readonly Issue[]
}

/** Reads everything that an entry expects, under whichever names, each text once. */
export function readExpectations(entry: Partial<SkillEntry>, document: ReadDocument): Expectations {
  return collect([
    ...readFields(entry, document),
    ...(entry.worded ?? []).flatMap((field) => readWorded(field, document)),
    ...(entry.facts ?? []).flatMap(toElements),
    ...CONTEXT_FIELDS.filter((field) => entry[field] !== undefined).flatMap((field) =>
      readContext(entry[field], document, field),
    ),
    ...(entry.turns?.held ?? []).flatMap((turn) => readHeld(turn, isMessage)),
  ])
}

function toElements({ statements }: Fact): readonly Element[] {
  return statements.map((statement) => ({ statement }))
}

function readFields(entry: Partial<SkillEntry>, document: ReadDocument): readonly Element[] {
  const read = (fields: readonly (keyof SkillEntry)[], how: How): readonly Element[] =>
    fields
      .filter((field) => entry[field] !== undefined)
      .flatMap((field) => readList(entry[field] as ElementList, documentAt(document, [field]), ofField(field) ?? how))
  const sentences = SENTENCE_FIELDS.filter((field) => holdsSentences(entry[field]))
  return [
    ...read(ELEMENT_FIELDS, 'required'),
    ...read(sentences, 'required'),
    ...read(FORBIDDEN_FIELDS, 'forbidden'),
    ...read(ARTIFACT_FIELDS, 'file'),
  ]
}

// An object may hold what an entry holds: sentences, files, and the description that is context.
function readContext(value: unknown, document: ReadDocument, field: string): readonly Element[] {
  const at = document.positionOf([field])
  if (typeof value === 'string')
    return value.trim() === '' ? [] : [{ context: { text: value, at, document, field: [field] } }]
  return readHeld(documentAt(document, [field]), null)
}

// What an object expects. That of a turn has more in it, and `isRead` knows what of it has been read.
function readHeld(document: ReadDocument, isRead: ((name: string) => boolean) | null): readonly Element[] {
  return Object.entries(document.value as object).flatMap(([key, part]: readonly [string, unknown]) => {
    if (key.startsWith('_') || isRead?.(key) === true) return []
    if (HELD_FIELDS.has(key) && isList(part)) return readFields({ [key]: part as ElementList }, document)
    if (DESCRIPTIONS.has(key) && typeof part === 'string')
      return [{ context: { text: part, at: document.positionOf([key]), document, field: [key] } }]
    if (isWorded(key, part, false)) return readWorded({ name: key, value: part }, document)
    if (isRead !== null) return [{ issues: [noEffectAt(document, [key], UNKNOWN)] }]
    const { facts, issues } = readFacts(key, document)
    return [...facts.flatMap(toElements), { issues }]
  })
}

function isList(part: unknown): boolean {
  if (typeof part === 'string') return true
  return (
    Array.isArray(part) && part.every((one) => typeof one === 'string' || (typeof one === 'object' && one !== null))
  )
}

const DESCRIPTIONS: ReadonlySet<string> = new Set([
  'description',
  'summary',
  'text',
  'output',
  'content',
  ...CONTEXT_FIELDS,
])
const HELD_FIELDS: ReadonlySet<string> = new Set([...ELEMENT_FIELDS, ...FORBIDDEN_FIELDS, ...ARTIFACT_FIELDS])

/** Whether an entry has any field that holds expectations. */
export function expects(entry: SkillEntry): boolean {
  return (
    hasAny(entry, EXPECTING) ||
    (entry.worded ?? []).length > 0 ||
    (entry.facts ?? []).length > 0 ||
    (entry.turns?.held ?? []).some((turn) => readHeld(turn, isMessage).some(({ issues }) => issues === undefined)) ||
    SENTENCE_FIELDS.some((field) => holdsSentences(entry[field]))
  )
}

const EXPECTING: ReadonlySet<string> = new Set([
  ...ELEMENT_FIELDS,
  ...FORBIDDEN_FIELDS,
  ...ARTIFACT_FIELDS,
  ...CONTEXT_FIELDS,
])

/** Reads the expectations that a file has for all its evals. */
export function readCommonExpectations(lists: readonly CommonList[]): Expectations {
  const found = lists.flatMap(({ list, document, isOurs }) => {
    const read = readList(list, document, 'required')
    return isOurs ? read : read.map((one) => ({ ...one, issues: (one.issues ?? []).map(softened) }))
  })
  return collect(found)
}

function collect(found: readonly Element[]): Expectations {
  const statements = found.flatMap(({ statement }) => statement ?? [])
  return {
    statements: statements.filter(({ text }, index) => statements.findIndex((other) => other.text === text) === index),
    checks: found.flatMap(({ check, checks = [] }) => [...(check === undefined ? [] : [check]), ...checks]),
    context: found.flatMap(({ context }) => context ?? []),
    issues: found.flatMap(({ issues = [] }) => issues),
  }
}

function readList(list: ElementList, document: ReadDocument, how: How): readonly Element[] {
  if (typeof list === 'string') return [textElement(list, document.positionOf([]), how)]
  if (!Array.isArray(list)) return readObject(list as Readonly<Record<string, unknown>>, document, how)
  return (list as readonly (string | Readonly<Record<string, unknown>>)[]).map((element, index): Element => {
    const at = document.positionOf([index])
    if (typeof element === 'string') return textElement(element, at, how)
    return readTyped(element, documentAt(document, [index]), at, how)
  })
}

// One expectation, or several by name.
function readObject(value: Readonly<Record<string, unknown>>, document: ReadDocument, how: How): readonly Element[] {
  const at = document.positionOf([])
  if (textOf(value, ['type', 'kind', ...TEXT_FIELDS]) !== null) return [readTyped(value, document, at, how)]
  const isReadable = Object.values(value).some((part) => typeof part === 'string' || Array.isArray(part))
  return Object.entries(value).flatMap(([key, part]): readonly Element[] => {
    const inner = documentAt(document, [key])
    const areTexts = Array.isArray(part) && part.every((one) => typeof one === 'string' && one.trim() !== '')
    if (isCheckName(key) && (typeof part === 'string' || areTexts))
      return [part as string | readonly string[]]
        .flat()
        .map((text, index) => readTyped({ [key]: text }, document, inner.positionOf(areTexts ? [index] : []), how))
    if (!isKnownHow(key) && isWorded(key, part, false) && how === 'required')
      return readWorded({ name: key, value: part }, document)
    const own = howOf(key, how)
    if (typeof part === 'string') return [textElement(part, inner.positionOf([]), own)]
    if (areTexts) return readList(part as readonly string[], inner, own)
    // A number beside texts is a measure of the author's own.
    if (isReadable)
      return [{ issues: [noEffectAt(document, [key], 'has no effect: neither a text nor a list of texts')] }]
    return [{ issues: [errorAt(inner, [], 'invalid-expectation', 'expected a text or a list of texts')] }]
  })
}

function ofField(field: string): How | null {
  if (DENYING.has(field)) return 'denied'
  return INCLUDING.has(field) ? 'included' : null
}

const DENYING: ReadonlySet<string> = new Set(DENYING_FIELDS)
const INCLUDING: ReadonlySet<string> = new Set(INCLUDED_FIELDS)

// A name that only contains such a word may be the author's own: "no_code_not_asked" names a sentence that has to hold.
const FORBIDDING: ReadonlySet<string> = new Set([...FORBIDDEN_FIELDS, 'not', 'forbidden', 'avoid', 'must_avoid'])

function isKnownHow(key: string): boolean {
  return INCLUDING.has(key) || FORBIDDING.has(key) || HELD_FIELDS.has(key)
}

// What a name says of its sentences.
function howOf(key: string, how: How): How {
  if (INCLUDING.has(key)) return 'included'
  return FORBIDDING.has(key) ? 'forbidden' : how
}
