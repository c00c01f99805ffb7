import { dirname } from 'node:path'
import { z } from 'zod'
import type { CheckFields } from '../../checks/check.ts'
import { CHECK_SCHEMAS } from '../../checks/check-schemas.ts'
import { kindOf, type AskedCheck, type DeclaredCheck } from '../../checks/checks.ts'
import { documentAt, errorAt, valueAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { validate } from '../../lib/documents/validate.ts'
import { CHECK_TYPES, ELEMENT_FIELDS, LIST_TYPES, normalise, type Polarity } from './vocabulary.ts'

type Fields = Readonly<Record<string, unknown>>

/** Checks that an element names as case files do, and the fields that were read. */
export interface TableChecks {
  readonly checks: readonly DeclaredCheck[]
  readonly issues: readonly Issue[]
  readonly read: readonly string[]
}

// What has other names here keeps its own rules.
const SCHEMAS = new Map([...CHECK_SCHEMAS].filter(([kind]) => !(normalise(kind) in { ...CHECK_TYPES, ...LIST_TYPES })))

/** Names of such checks. */
export const TABLE_TYPES: readonly string[] = [...SCHEMAS.keys()]

/** Whether a name is one of them, in any spelling. */
export function isTableType(name: unknown): boolean {
  return typeof name === 'string' && SCHEMAS.has(kindNamed(name))
}

/** Reads checks by `type`, or by fields with their names; `null` where an element has neither. */
export function readTableChecks(fields: Fields, document: ReadDocument, polarity: Polarity): TableChecks | null {
  const typeField = ELEMENT_FIELDS.type.find((name) => isTableType(valueAt(fields, name)))
  const parts =
    typeField === undefined
      ? Object.keys(fields).flatMap((name) => readNamed(name, fields, document))
      : readTyped(typeField, fields, document)
  if (parts.length === 0) return null
  const denials = Object.entries(ELEMENT_FIELDS.denied).filter(([name]) => typeof valueAt(fields, name) === 'boolean')
  const isDenied = denials.some(([name, denying]) => valueAt(fields, name) === denying)
  const isTurned = (polarity === 'must') === isDenied
  const at = document.positionOf([])
  const checks: DeclaredCheck[] = []
  const issues = parts.flatMap((part) => part.issues)
  for (const { kind, made } of parts) {
    for (const one of made) {
      const placed = kindOf(kind)?.place?.(one, dirname(document.file)) ?? one
      const placedCheck = { kind, ...placed } as AskedCheck
      const check = isTurned ? opposite(placedCheck) : placedCheck
      if (check === null) issues.push(errorAt(document, [], 'invalid-expectation', `${kind} has no opposite`))
      else checks.push({ ...check, at })
    }
  }
  return { checks, issues, read: [...parts.flatMap(({ read }) => read), ...denials.map(([name]) => name)] }
}

interface Part {
  readonly kind: string
  readonly made: readonly CheckFields[]
  readonly issues: readonly Issue[]
  readonly read: readonly string[]
}

// A field of that name with another value may be anything.
function readNamed(name: string, fields: Fields, document: ReadDocument): readonly Part[] {
  const kind = kindNamed(name)
  const schema = SCHEMAS.get(kind)
  if (schema === undefined) return []
  const { value, issues } = validate(documentAt(document, [name]), schema)
  if (value === null && saysIt(fields, name)) return []
  return [{ kind, made: value === null ? [] : ([value].flat() as readonly CheckFields[]), issues, read: [name] }]
}

// Its parameters are the other fields, or the only one of them.
function readTyped(typeField: string, fields: Fields, document: ReadDocument): readonly Part[] {
  const kind = kindNamed(String(valueAt(fields, typeField)))
  const schema = SCHEMAS.get(kind) ?? z.never()
  const unread = new Set([typeField, 'id', ...Object.keys(ELEMENT_FIELDS.denied)])
  const all = Object.keys(fields).filter((name) => !unread.has(name) && !/^[$_]/.test(name))
  const ofCheck = all.filter((name) => !ELEMENT_FIELDS.text.some((text) => text === name))
  for (const names of [all, ofCheck]) {
    const whole = schema.safeParse(pick(fields, names))
    const [only = ''] = names
    const parsed = whole.success || names.length !== 1 ? whole : schema.safeParse(fields[only])
    if (parsed.success)
      return [{ kind, made: [parsed.data].flat() as readonly CheckFields[], issues: [], read: [typeField, ...names] }]
  }
  // The word may mean something else to another tool, and the sentence says it for the judge.
  if (saysIt(fields, typeField)) return []
  // What else its author keeps there is a remark, as beside every other check.
  const whole = validate({ ...document, value: pick(fields, ofCheck) }, schema)
  const named = ofCheck.filter((name) => ELEMENT_FIELDS.named.some((one) => one === name))
  const [only = ''] = named
  const isOne = named.length === 1 && whole.issues.some(({ field }) => field === document.path.join('.'))
  const { value, issues } = isOne ? validate(documentAt(document, [only]), schema) : whole
  const made = value === null ? [] : ([value].flat() as readonly CheckFields[])
  const refused = issues.filter(({ code }) => code === 'unknown-field').map(({ field }) => field.split('.').at(-1))
  const unknown = new Set(refused)
  const takenNames = isOne ? named : ofCheck.filter((name) => !unknown.has(name))
  return [
    { kind, made, issues: issues.filter(({ severity }) => severity === 'error'), read: [typeField, ...takenNames] },
  ]
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name]]))
}

function saysIt(fields: Fields, but: string): boolean {
  return ELEMENT_FIELDS.text.some((text) => text !== but && typeof valueAt(fields, text) === 'string')
}

function kindNamed(name: string): string {
  return normalise(name.trim()).replaceAll('_', '-')
}

const OPPOSITES: Readonly<Record<string, AskedCheck['kind']>> = {
  matches: 'not-matches',
  'not-matches': 'matches',
  'skill-used': 'skill-not-used',
  'skill-not-used': 'skill-used',
  'file-contains': 'file-not-contains',
  'file-not-contains': 'file-contains',
  'tool-called': 'no-tool',
  'no-tool': 'tool-called',
}

function opposite(check: AskedCheck): AskedCheck | null {
  const kind = OPPOSITES[check.kind]
  // A call with this input, or so many of them, has no check for its opposite.
  const isNarrow = check.kind === 'tool-called' && Object.keys(check).length > 2
  if (typeof check.value === 'boolean' && check.kind !== 'no-tool')
    return { ...check, value: !check.value } as AskedCheck
  return kind === undefined || isNarrow || check.value === true ? null : ({ ...check, kind } as AskedCheck)
}
