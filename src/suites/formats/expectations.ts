import { documentAt, errorAt, valueAt, type FieldPath, type ReadDocument } from '../../documents/document.ts'
import { ELEMENT_FIELDS, type ElementList, type SkillEntry } from './skill-entry.ts'
import type { Issue, Position } from '../../documents/issue.ts'
import type { DeclaredCheck, Statement } from '../suite.ts'

/** What an entry expects: statements for the judge, checks that need none. */
export interface Expectations {
  readonly statements: readonly Statement[]
  readonly checks: readonly DeclaredCheck[]
  readonly issues: readonly Issue[]
}

/** Reads everything that an entry expects, under whichever names, each text once. */
export function readExpectations(entry: Partial<SkillEntry>, document: ReadDocument): Expectations {
  const found = ELEMENT_FIELDS.flatMap((field) => {
    const list = entry[field]
    return list === undefined ? [] : readList(list, documentAt(document, [field]), field === 'must_not')
  })
  return collect(found)
}

/** Reads the expectations that a file has for all its entries; `document` is their list. */
export function readCommonExpectations(list: ElementList | undefined, document: ReadDocument): Expectations {
  return collect(list === undefined ? [] : readList(list, document, false))
}

function collect(found: readonly Element[]): Expectations {
  const statements = found.flatMap(({ statement }) => statement ?? [])
  return {
    statements: statements.filter(({ text }, index) => statements.findIndex((other) => other.text === text) === index),
    checks: found.flatMap(({ check }) => check ?? []),
    issues: found.flatMap(({ issue }) => issue ?? []),
  }
}

interface Element {
  readonly statement?: Statement
  readonly check?: DeclaredCheck
  readonly issue?: Issue
}

function readList(list: ElementList, document: ReadDocument, isForbidden: boolean): readonly Element[] {
  if (typeof list === 'string') return [textElement(list, document.positionOf([]), isForbidden)]
  return list.map((element, index): Element => {
    const at = document.positionOf([index])
    if (typeof element === 'string') return textElement(element, at, isForbidden)
    return readTyped(element, documentAt(document, [index]), at, isForbidden)
  })
}

function textElement(text: string, at: Position, isForbidden: boolean): Element {
  const tidy = text.replaceAll(/\s+/g, ' ').trim()
  return { statement: { text: isForbidden ? `This must not be the case: ${tidy}` : tidy, at } }
}

// A kind that is known is checked for free. Everything else is a text for the judge: nothing expected is dropped.
function readTyped(
  element: Readonly<Record<string, unknown>>,
  document: ReadDocument,
  at: Position,
  isForbidden: boolean,
): Element {
  const kind = textOf(element, ['type', 'kind'])?.toLowerCase().replaceAll(/[\s_]/g, '-') ?? ''
  const isAboutFile = !FILE_KINDS.has(kind) && textOf(element, ['path', 'file']) !== null
  const known = isForbidden || isAboutFile ? null : readKnown(kind, element, document, at)
  if (known !== null) return known
  const said = textOf(element, TEXT_FIELDS)
  if (said !== null) return textElement(describe(said, element, isAboutFile), at, isForbidden)
  const message = `neither a text nor a known type; write "text", or one of the types ${KNOWN_KINDS}`
  return { issue: errorAt(document, [], 'invalid-expectation', message) }
}

function readKnown(
  kind: string,
  element: Readonly<Record<string, unknown>>,
  document: ReadDocument,
  at: Position,
): Element | null {
  const asked = CHECKS[kind]
  if (asked === undefined) return null
  const value = textOf(element, asked.fields)
  if (value === null) {
    return { issue: errorAt(document, [], 'missing-field', `a ${kind} needs ${asked.fields[0] ?? 'a value'}`) }
  }
  if (asked.kind !== 'matches' && asked.kind !== 'not-matches') return { check: { kind: asked.kind, value, at } }
  const { pattern, flags } = readPattern(value, textOf(element, ['flags']) ?? '')
  const problem = problemOf(pattern, flags)
  const field = asked.fields.find((name) => typeof valueAt(element, name) === 'string') ?? 'pattern'
  if (problem !== null) return { issue: errorAt(document, [field], 'invalid-pattern', problem) }
  return { check: { kind: asked.kind, value: pattern, flags, at } }
}

const TEXT_FIELDS = [
  'text',
  'assertion',
  'expectation',
  'description',
  'check',
  'criteria',
  'criterion',
  'statement',
  'name',
]
const VALUE_FIELDS = ['substring', 'phrase', 'value', 'pattern', 'expected']
const PATTERN_FIELDS = ['pattern', 'regex', 'value']
const PATH_FIELDS = ['path', 'file', 'value', 'pattern']

type CheckKind = Exclude<DeclaredCheck['kind'], 'agent-blocked'>

const CHECKS: Readonly<Record<string, { readonly kind: CheckKind; readonly fields: readonly string[] }>> = {
  contains: { kind: 'contains', fields: VALUE_FIELDS },
  'contains-phrase': { kind: 'contains', fields: VALUE_FIELDS },
  'not-contains': { kind: 'not-contains', fields: VALUE_FIELDS },
  'not-contains-phrase': { kind: 'not-contains', fields: VALUE_FIELDS },
  regex: { kind: 'matches', fields: PATTERN_FIELDS },
  'contains-pattern': { kind: 'matches', fields: PATTERN_FIELDS },
  'not-regex': { kind: 'not-matches', fields: PATTERN_FIELDS },
  'not-contains-pattern': { kind: 'not-matches', fields: PATTERN_FIELDS },
  'file-exists': { kind: 'file-exists', fields: PATH_FIELDS },
}

const FILE_KINDS: ReadonlySet<string> = new Set(['file-exists'])
const KNOWN_KINDS = Object.keys(CHECKS).join(', ').replaceAll('-', '_')

// What is said of a file's content is for the judge, who is shown the files.
function describe(said: string, element: Readonly<Record<string, unknown>>, isAboutFile: boolean): string {
  const path = textOf(element, ['path', 'file'])
  const value = textOf(element, ['pattern', 'substring', 'phrase', 'value'])
  if (!isAboutFile || path === null) return said
  return value === null ? `${said} (file ${path})` : `${said} (file ${path}: ${JSON.stringify(value)})`
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
    return `is no regular expression of JavaScript: ${(error as Error).message}`
  }
}

function textOf(element: Readonly<Record<string, unknown>>, fields: FieldPath): string | null {
  for (const field of fields) {
    const value = valueAt(element, field)
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return null
}
