import { similarName } from './nearest-name.ts'
import { hintOnLiteral, hintOnType } from './hints.ts'
import { describeType, describeValue } from './describe-value.ts'
import { errorAt, fieldAt, valueAt, type FieldPath, type ReadDocument } from './document.ts'
import { knownFields } from './known-fields.ts'
import type { Issue } from './issue.ts'
import type { z } from 'zod'

/** What {@link validate} found. */
export interface Validated<T> {
  /** `null` when any issue is an error. */
  readonly value: T | null
  /** Those of the document, or all of the schema's at once, in the order of the file. */
  readonly issues: readonly Issue[]
}

/**
 * Checks a document against a strict schema. Messages that the schema itself words are kept.
 * An unknown field is an error when it looks like a known one, else a warning and left out of the value.
 */
export function validate<T>(document: ReadDocument, schema: z.ZodType<T>): Validated<T> {
  if (document.issues.length > 0) return { value: null, issues: document.issues }

  const first = check(schema, document.value)
  if (first.success) return { value: first.data, issues: [] }

  const unknown = findUnknownFields(first.error.issues)
  if (unknown.length > MAX_ISSUES) {
    const message = `${unknown.length} unknown fields, so this is another kind of file`
    return { value: null, issues: [errorAt(document, [], 'unknown-field', message)] }
  }

  const unknownIssues = unknown.map((path) => wordUnknownField(document, schema, path))
  const second = unknown.length === 0 ? first : check(schema, without(document.value, unknown))
  const mistakes = second.success
    ? []
    : second.error.issues.slice(0, MAX_ISSUES).map((issue) => wordMistake(document, issue))
  const issues = [...unknownIssues, ...mistakes].toSorted((a, b) => a.line - b.line || a.column - b.column)
  const isValid = second.success && issues.every(({ severity }) => severity === 'warning')
  return { value: isValid ? second.data : null, issues }
}

// More than a person reads; the first ones are of use.
const MAX_ISSUES = 50

function check<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  return schema.safeParse(value, { error: formatZodIssue })
}

function findUnknownFields(issues: readonly z.core.$ZodIssue[], base: FieldPath = []): readonly FieldPath[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path]
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...path, key])
    if (issue.code !== 'invalid_union') return []
    return findUnknownFields(nearestOption(issue), path)
  })
}

// Of a union's alternatives the one that the author meant is the one that fits best.
function nearestOption(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const fitting = issue.errors.filter((option) => !isRootMismatch(option))
  return fitting.toSorted((a, b) => a.length - b.length)[0] ?? []
}

function isRootMismatch(option: readonly z.core.$ZodIssue[]): boolean {
  return option.some(({ code, path }) => code === 'invalid_type' && path.length === 0)
}

function without(value: unknown, paths: readonly FieldPath[]): unknown {
  const copy = structuredClone(value)
  for (const path of paths) {
    const parent = path.slice(0, -1).reduce(valueAt, copy)
    if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, path.at(-1) ?? '')
  }

  return copy
}

function wordUnknownField(document: ReadDocument, schema: z.core.$ZodType, path: FieldPath): Issue {
  const name = String(path.at(-1))
  const known = knownFields(schema, path.slice(0, -1))
  const nearest = similarName(name, known)
  const isDangerous = DANGEROUS.has(name)
  const isHarmless = nearest === null && !isDangerous
  const advice =
    nearest === null ? (isDangerous ? 'Remove it.' : 'It is ignored.') : `Did you mean ${JSON.stringify(nearest)}?`
  return {
    code: 'unknown-field',
    severity: isHarmless ? 'warning' : 'error',
    ...(isHarmless ? { noEffect: true } : {}),
    file: document.file,
    field: fieldAt(document, path),
    message: `unknown field. ${advice}`,
    ...document.keyPositionOf(path),
  }
}

const DANGEROUS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

function wordMistake(document: ReadDocument, issue: z.core.$ZodIssue, base: FieldPath = []): Issue {
  const path = [...base, ...issue.path]
  if (issue.code === 'invalid_union') {
    const [nested] = nearestOption(issue)
    if (nested !== undefined) return wordMistake(document, nested, path)
  }

  const isKey = issue.code === 'invalid_key'
  return {
    code: codeOf(issue, document, path),
    severity: 'error',
    file: document.file,
    field: fieldAt(document, path),
    message: isKey ? (issue.issues[0]?.message ?? issue.message) : issue.message,
    ...(isKey ? document.keyPositionOf(path) : document.positionOf(path)),
  }
}

function codeOf(issue: z.core.$ZodIssue, document: ReadDocument, path: FieldPath): string {
  if (path.reduce(valueAt, document.value) === undefined) return 'missing-field'
  const [wrongKey] = issue.code === 'invalid_key' ? issue.issues : []
  if (wrongKey !== undefined) return codeOf(wrongKey, document, path)
  if (issue.code === 'custom' && typeof issue.params?.['code'] === 'string') return issue.params['code']
  if (issue.code === 'invalid_type' || issue.code === 'invalid_union') return 'wrong-type'
  if (issue.code === 'too_small' || issue.code === 'too_big') return 'out-of-range'
  return 'invalid-value'
}

/** What is wrong, in the words of all our messages. */
export function formatZodIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'custom') return `missing; ${expectation(issue) ?? 'it is required'}`
  const expected = expectation(issue)
  if (expected === undefined) return undefined
  if (issue.code === 'invalid_value' && isPlain(issue.input)) {
    return `${expected}, got ${JSON.stringify(issue.input)}${hintOnLiteral(issue.values, issue.input)}`
  }

  if (issue.code === 'too_small' || issue.code === 'too_big' || isWrongDiscriminator(issue)) return expected
  return `${expected}, got ${describeValue(issue.input)}${hintOnType(wantedTypes(issue), issue.input)}`
}

function isPlain(value: unknown): value is boolean | number | string {
  return typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && isFinite(value))
}

function wantedTypes(issue: z.core.$ZodRawIssue): readonly string[] {
  if (issue.code === 'invalid_type') return [issue.expected]
  return issue.code === 'invalid_union' ? rootTypes(issue.errors) : []
}

// Its input is the whole object, of which the author knows that it is one.
function isWrongDiscriminator(issue: z.core.$ZodRawIssue): boolean {
  return issue.code === 'invalid_union' && issue.discriminator !== undefined
}

function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${describeType(issue.expected)}`
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'invalid_union':
      return expectUnion(issue)
    case 'too_small':
      if (issue.origin !== 'number') return 'must not be empty'
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
    case 'too_big':
      return issue.origin === 'number'
        ? `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`
        : `is longer than ${issue.maximum} ${issue.origin === 'string' ? 'characters' : 'items'}`
    default:
      return undefined
  }
}

function expectUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const types = [...new Set(rootTypes(issue.errors).map(describeType))]
  if (types.length > 0) return `expected ${types.join(' or ')}`
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : []
  return `expected ${options.map((option) => JSON.stringify(option)).join(' or ') || 'another value'}`
}

function rootTypes(options: readonly (readonly z.core.$ZodIssue[])[] = []): readonly string[] {
  return options.flatMap((option) =>
    option.flatMap((issue) => (issue.code === 'invalid_type' && issue.path.length === 0 ? [issue.expected] : [])),
  )
}
