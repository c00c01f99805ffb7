import { dirname } from 'node:path'
import { z } from 'zod'
import { CHECK_SCHEMAS } from '../../checks/check-schemas.ts'
import type { CheckFields } from '../../checks/check.ts'
import { kindOf, type AskedCheck } from '../../checks/checks.ts'
import { documentAt, errorAt, isError, valueAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { checkRelativePath, normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { validate } from '../../lib/documents/validate.ts'
import { escapePattern } from '../../lib/text.ts'
import { CHECK_ALIASES, ELEMENT_FIELDS, normalise, type CheckAlias } from './vocabulary.ts'

/** The fields of an expectation that is an object. */
export type ElementFields = Readonly<Record<string, unknown>>

/** The checks that a part of an element asks for. */
export interface TypedChecks {
  readonly checks: readonly AskedCheck[]
  readonly issues: readonly Issue[]
  /** Names of the fields that were read. */
  readonly read: readonly string[]
  /** The type means a check and nothing else, also beside a sentence. */
  readonly isCertain?: true
}

type Schema = z.ZodType<CheckFields | readonly CheckFields[]>

const SCHEMAS: ReadonlyMap<string, Schema> = new Map([
  ...CHECK_SCHEMAS,
  ['file-exists', z.array(z.string().transform((value) => ({ value })))],
])
const NAMES: ReadonlyMap<string, CheckAlias> = new Map([
  ...[...CHECK_SCHEMAS.keys()].map((kind) => [normalise(kind), { kind: kind as AskedCheck['kind'] }] as const),
  ...Object.entries(CHECK_ALIASES),
])

/** Every name of a check. */
export const CHECK_NAMES: readonly string[] = [
  ...Object.keys(CHECK_ALIASES),
  ...[...CHECK_SCHEMAS.keys()].filter((kind) => !(normalise(kind) in CHECK_ALIASES)),
]

/** The check of a name in any spelling; `null` for another word. */
export function checkNamed(name: unknown): CheckAlias | null {
  return typeof name === 'string' ? (NAMES.get(normalise(name.trim())) ?? null) : null
}

/** Finds the checks that an element names by its type, else by its fields. What is no check beside a sentence is left to the judge. */
export function findTypedChecks(fields: ElementFields, document: ReadDocument): readonly TypedChecks[] {
  const type = ELEMENT_FIELDS.type.find((name) => checkNamed(valueAt(fields, name)) !== null)
  const names = type === undefined ? Object.keys(fields) : []
  const found = [
    ...(type === undefined ? [] : [readByType(type, fields, document)]),
    ...names.flatMap((name) => {
      const alias = checkNamed(name)
      return alias === null ? [] : [readField(alias, name, document)]
    }),
  ]
  return found.filter(
    ({ checks, read, isCertain }) =>
      checks.length > 0 || isCertain === true || textIn(fields, ELEMENT_FIELDS.text, read) === null,
  )
}

// The parameters are a field that the type is known to have, else all other fields, or the only one of them.
function readByType(type: string, fields: ElementFields, document: ReadDocument): TypedChecks {
  const alias = checkNamed(valueAt(fields, type))
  if (alias === null) return { checks: [], issues: [], read: [type] }
  const known = alias.fields?.find((name) => name !== type && textsIn(valueAt(fields, name)).length > 0)
  if (known !== undefined) return withRead(readField(alias, known, document), type)
  if (alias.fields !== undefined) {
    const message = `a check of this type needs ${JSON.stringify(alias.fields[0])}`
    const missing = { checks: [], issues: [errorAt(document, [], 'missing-field', message)], read: [type] }
    // A sentence in the place of a pattern may be the pattern.
    return alias.kind.endsWith('matches') ? { ...missing, isCertain: true } : missing
  }
  const unread = new Set([type, 'id', ...Object.keys(ELEMENT_FIELDS.denied)])
  const rest = Object.keys(fields).filter((name) => !unread.has(name) && !/^[$_]/.test(name))
  const ofCheck = rest.filter((name) => !ELEMENT_FIELDS.text.some((text) => text === name))
  const part = (names: readonly string[]): ReadDocument => ({
    ...document,
    value: Object.fromEntries(names.map((name) => [name, fields[name]])),
  })
  const fits = (value: unknown): boolean => SCHEMAS.get(alias.kind)?.safeParse(value).success === true
  for (const names of [rest, ofCheck]) {
    const [only = ''] = names
    if (fits(part(names).value)) return { ...readArguments(alias, part(names)), read: [type, ...names] }
    if (names.length === 1 && fits(fields[only])) return withRead(readField(alias, only, document), type)
  }
  // The word may mean something else to another tool, and the sentence says it for the judge.
  if (textIn(fields, ELEMENT_FIELDS.text, [type]) !== null) return { checks: [], issues: [], read: [type] }
  const whole = readArguments(alias, part(ofCheck))
  const [only, ...others] = ofCheck.filter((name) => ELEMENT_FIELDS.named.some((one) => one === name))
  const isOfObject = whole.issues.every(({ field }) => field !== document.path.join('.'))
  if (!isOfObject && only !== undefined && others.length === 0) return withRead(readField(alias, only, document), type)
  // Other fields of the author have no effect.
  const unknown = new Set(
    whole.issues.filter(({ code }) => code === 'unknown-field').map(({ field }) => field.split('.').at(-1)),
  )
  const read = ofCheck.filter((name) => !unknown.has(name))
  return { ...whole, issues: whole.issues.filter(isError), read: [type, ...read] }
}

function withRead(found: TypedChecks, name: string): TypedChecks {
  return { ...found, read: [name, ...found.read] }
}

// A pattern may have its flags beside it.
function readField(alias: CheckAlias, name: string, document: ReadDocument): TypedChecks {
  const part = documentAt(document, [name])
  const flags = valueAt(document.value, 'flags')
  const patterns = alias.kind.endsWith('matches') && typeof flags === 'string' ? textsIn(part.value) : []
  if (patterns.length === 0) return { ...readArguments(alias, part), read: [name] }
  const value = patterns.map((pattern) => ({
    pattern,
    flags: String(flags)
      .toLowerCase()
      .replaceAll(/[^imsu]/g, ''),
  }))
  return { ...readArguments(alias, { ...part, value }), read: [name, 'flags'] }
}

/** Reads the value of a document as the arguments of a check. */
export function readArguments({ kind, isAny }: CheckAlias, document: ReadDocument): Omit<TypedChecks, 'read'> {
  const schema = SCHEMAS.get(kind) ?? z.never()
  const texts = textsIn(document.value)
  if (isAny === true && texts.length > 1)
    return { checks: [{ kind: 'matches', value: texts.map(escapePattern).join('|'), flags: '' }], issues: [] }
  const isOfList = !schema.safeParse(document.value).success && schema.safeParse(texts).success
  const { value, issues } = validate(isOfList ? { ...document, value: texts } : document, schema)
  const checks = [value ?? []].flat().map((one: CheckFields) => {
    const placed = kindOf(kind)?.place?.(one, dirname(document.file)) ?? one
    return { kind, ...placed } as AskedCheck
  })
  return { checks, issues }
}

const OPPOSITES: Readonly<Record<string, AskedCheck['kind']>> = {
  contains: 'not-contains',
  'not-contains': 'contains',
  matches: 'not-matches',
  'not-matches': 'matches',
  'skill-used': 'skill-not-used',
  'skill-not-used': 'skill-used',
  'file-contains': 'file-not-contains',
  'file-not-contains': 'file-contains',
  'tool-called': 'no-tool',
  'no-tool': 'tool-called',
}

/** The check that is passed where another one fails; `null` where there is none. */
export function oppositeOf(check: AskedCheck): AskedCheck | null {
  const kind = OPPOSITES[check.kind]
  // A call with this input, or so many of them, has no check for its opposite.
  const isNarrow = check.kind === 'tool-called' && Object.keys(check).length > 2
  if (typeof check.value === 'boolean' && check.kind !== 'no-tool')
    return { ...check, value: !check.value } as AskedCheck
  return kind === undefined || isNarrow || check.value === true ? null : ({ ...check, kind } as AskedCheck)
}

const IN_FILES = { contains: 'file-contains', 'not-contains': 'file-not-contains' } as const

/** Tells whether a check looks into the output, unless a file is named. */
export function looksIntoOutput({ kind }: AskedCheck): boolean {
  return /^(?:not-)?(?:contains|matches)$/.test(kind)
}

/** The same check of a file; `null` for a pattern, for which no check looks into files, and for a path that names no one file. */
export function inFile(check: AskedCheck, file: string): AskedCheck | null {
  if (checkRelativePath(file) !== null || /[*?{}[\]]/.test(file)) return null
  if (check.kind !== 'contains' && check.kind !== 'not-contains') return null
  return { kind: IN_FILES[check.kind], value: normalizeRelativePath(file), text: check.value }
}

/** The first of some fields that holds a text, and was not read. */
export function textIn(
  fields: ElementFields,
  names: readonly string[],
  read: readonly string[] = [],
): { readonly name: string; readonly value: string } | null {
  for (const name of names) {
    const value = valueAt(fields, name)
    if (!read.includes(name) && typeof value === 'string' && value.trim() !== '') return { name, value }
  }
  return null
}

function textsIn(value: unknown): readonly string[] {
  const texts = [value].flat()
  return texts.every((one) => typeof one === 'string' && one.trim() !== '') ? (texts as readonly string[]) : []
}
