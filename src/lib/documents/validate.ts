import { parseDocument } from 'yaml'
import type { z } from 'zod'
import { AgentEvalsError } from '../errors.ts'
import {
  DANGEROUS_NAMES,
  errorAt,
  errorAtKey,
  isError,
  noEffectAt,
  valueAt,
  type FieldPath,
  type Issue,
  type ReadDocument,
} from './document.ts'
import { knownFields } from './known-fields.ts'
import { similarName } from './nearest-name.ts'

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
  const isValid = second.success && !issues.some(isError)
  return { value: isValid ? second.data : null, issues }
}

/** A text of this kind that a process can be given: neither blank nor with a NUL character. */
export function processText(text: z.ZodString): z.ZodString {
  return text
    .refine((value) => value.trim() !== '', 'must not be empty')
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
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
  const fields = knownFields(schema, path.slice(0, -1))
  const nearest = similarName(name, fields)
  const isDangerous = DANGEROUS_NAMES.has(name)
  if (nearest === null && !isDangerous)
    return { ...noEffectAt(document, path, 'unknown field. It is ignored.'), code: 'unknown-field' }
  const advice = nearest === null ? 'Remove it.' : `Did you mean ${JSON.stringify(nearest)}?`
  return errorAtKey(document, path, 'unknown-field', `unknown field. ${advice}`)
}

function wordMistake(document: ReadDocument, issue: z.core.$ZodIssue, base: FieldPath = []): Issue {
  const path = [...base, ...issue.path]
  if (issue.code === 'invalid_union') {
    const [nested] = nearestOption(issue)
    if (nested !== undefined) return wordMistake(document, nested, path)
  }

  const [wrongKey] = issue.code === 'invalid_key' ? issue.issues : []
  const { message } = wrongKey ?? issue
  const code = codeOf(wrongKey ?? issue, document, path)
  return issue.code === 'invalid_key'
    ? errorAtKey(document, path, code, message)
    : errorAt(document, path, code, message)
}

function codeOf(issue: z.core.$ZodIssue, document: ReadDocument, path: FieldPath): string {
  if (path.reduce(valueAt, document.value) === undefined) return 'missing-field'
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

/** Names a value's type in the words of an author of YAML: `a list`, not `array`. */
export function describeValue(value: unknown): string {
  if (value === null) return 'nothing (null)'
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'number' && Number.isNaN(value)) return 'NaN'
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return 'infinity'
  return describeType(typeof value)
}

/** Names a type as zod calls it. */
function describeType(type: string): string {
  return TYPE_NAMES.get(type) ?? `a ${type}`
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'nothing (null)'],
])

/** What to write instead of a value of a wrong type, as the end of a message; empty where that is plain. */
function hintOnType(expected: readonly string[], value: unknown): string {
  const wants = (...types: readonly string[]): boolean => types.some((type) => expected.includes(type))
  if (value === null) return '; give it a value, or remove it'
  if (wants('string') && (typeof value === 'number' || typeof value === 'boolean')) return '; put it in quotes'
  if (wants('array') && (typeof value === 'string' || typeof value === 'number')) return `; write ${asList(value)}`
  if (wants('boolean')) return adviseOnBoolean(value)
  if (wants('number', 'int') && typeof value === 'string') return adviseOnNumber(value)
  return ''
}

/** What to write instead of a text where one of these values has to stand. */
function hintOnLiteral(values: readonly unknown[], value: unknown): string {
  return typeof value === 'string' && values.some((one) => typeof one !== 'string' && String(one) === value)
    ? '; remove the quotes'
    : ''
}

function asList(value: number | string): string {
  const item = JSON.stringify(String(value))
  return item.length > 60 || item.includes('\\') ? 'it as an item of a list' : `a list: [${item}]`
}

function adviseOnBoolean(value: unknown): string {
  const word = String(value).trim().toLowerCase()
  if (['true', 'yes', 'on', 'y', '1'].includes(word)) return '; write true'
  return ['false', 'no', 'off', 'n', '0'].includes(word) ? '; write false' : ''
}

function adviseOnNumber(value: string): string {
  const text = value.trim()
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return '; remove the quotes'
  return /^-?\d+(?:\.\d+)?\s*[a-z%]+$/i.test(text) ? '; write the number alone' : ''
}

/**
 * A SKILL.md with another description; everything else stays as it is.
 *
 * @throws {AgentEvalsError} `invalid-options` when the text has no front matter that can be read.
 */
export function withDescription(text: string, description: string): string {
  const [whole, opening = '', yaml = ''] = FRONT_MATTER.exec(text) ?? []
  const document = parseDocument(yaml)
  if (whole === undefined || document.errors.length > 0)
    throw new AgentEvalsError(
      'invalid-options',
      'SKILL.md has no front matter that can be read. Fix it with npx vitest-agent-evals lint.',
    )
  document.set('description', description)
  return `${opening}${document.toString({ lineWidth: 0 })}${text.slice(opening.length + yaml.length)}`
}

const FRONT_MATTER = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)^---[ \t]*$/m
