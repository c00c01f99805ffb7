import { findMatch, patternProblem } from '../../lib/patterns.ts'
import type { MockExpectation, MockGuard } from './model.ts'

// Part of the mock server, which runs inside the sandbox.

type Expectations = Readonly<Record<string, MockExpectation>>

/** What is wrong with a guard; `null` where it can be used. */
export function checkGuard(guard: MockGuard): string | null {
  const pattern = patternOf(guard)
  if (pattern === null) return null
  if (!/^[is]*$/.test(pattern.flags)) return `is ${guard}; only the flags i and s are allowed`
  const problem = patternProblem(pattern.source, pattern.flags)
  if (problem === null) return null
  return `is an invalid regular expression: ${problem}. For a literal between slashes write a list of one`
}

/** Compares a call's input with what is expected; the first difference in words, `null` when there is none. */
export function findViolation(input: unknown, expect: Expectations, base = ''): string | null {
  for (const [field, expectation] of Object.entries(expect)) {
    const path = base === '' ? field : `${base}.${field}`
    const violation = compare(path, input, expectation)
    if (violation !== null) return violation
  }
  return null
}

function compare(path: string, input: unknown, expectation: MockExpectation): string | null {
  const value = fieldOf(input, path)
  if (isList(expectation)) {
    return expectation.some((one) => isLiteral(value, one))
      ? null
      : `${path} = ${show(value)} is not one of [${expectation.join(', ')}]`
  }
  if (typeof expectation === 'object') return findViolation(input, expectation, path)
  const pattern = patternOf(expectation)
  if (pattern !== null) return comparePattern(path, value, expectation, pattern)
  if (TYPES.has(expectation)) {
    const type = expectation === 'boolean' ? 'bool' : expectation
    return typeName(value) === type ? null : `${path} = ${show(value)} is not a ${type}`
  }
  return isLiteral(value, expectation) ? null : `${path} = ${show(value)} is not "${expectation}"`
}

function comparePattern(path: string, value: unknown, guard: string, { source, flags }: Pattern): string | null {
  const text = typeof value === 'string' ? value : isScalar(value) ? String(value) : null
  if (text !== null && text.length > MAX_SUBJECT)
    return `${path} is ${text.length} characters, more than this /regex/ guard checks (${MAX_SUBJECT})`
  const search = text === null ? { found: null } : findMatch(source, flags, text)
  if ('problem' in search) return `${path}: ${guard} is not a usable guard (${search.problem})`
  return search.found === null ? `${path} = ${show(value)} does not match ${guard}` : null
}

/** Characters of a value that a pattern looks at. */
const MAX_SUBJECT = 8192

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'bool', 'boolean', 'object', 'array'])

/** The value of a dotted path; sees own fields only. */
export function fieldOf(input: unknown, path: string): unknown {
  let value = input
  for (const step of path.split('.')) {
    if (value === null || typeof value !== 'object') return undefined
    if (Array.isArray(value)) {
      if (!/^\d+$/.test(step)) return undefined
      value = (value as readonly unknown[])[Number(step)]
    } else {
      value = Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined
    }
  }
  return value
}

/** A value as it is shown in a message. */
export function show(value: unknown): string {
  if (value === undefined) return '(missing)'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

interface Pattern {
  readonly source: string
  readonly flags: string
}

function patternOf(guard: string): Pattern | null {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(guard) ?? []
  return source === undefined || flags === undefined ? null : { source, flags }
}

function isList(expectation: MockExpectation): expectation is readonly MockGuard[] {
  return Array.isArray(expectation)
}

function isScalar(value: unknown): value is boolean | number {
  return typeof value === 'number' || typeof value === 'boolean'
}

function isLiteral(value: unknown, literal: string): boolean {
  return typeof value === 'string' ? value === literal : isScalar(value) && String(value) === literal
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null || value === undefined) return 'missing'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
