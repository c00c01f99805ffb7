// Part of the mock server, which runs inside the sandbox: it may import types and Node only.
import { boundPattern } from './guard-pattern.ts'
import type { MockExpectation, MockGuard } from './model.ts'

/** Guards of one responder. */
const MAX_GUARDS = 32

type Expectations = Readonly<Record<string, MockExpectation>>

/** What is wrong with the guards of a responder, as the end of a sentence, by dotted field; the first is enough. */
export function checkExpectations(
  expect: Expectations,
): { readonly path: readonly string[]; readonly problem: string } | null {
  const count = countGuards(expect)
  if (count > MAX_GUARDS) return { path: [], problem: `has ${count} guards; at most ${MAX_GUARDS} are allowed` }
  return findProblem(expect, [])
}

function findProblem(
  expect: Expectations,
  base: readonly string[],
): { readonly path: readonly string[]; readonly problem: string } | null {
  for (const [field, expectation] of Object.entries(expect)) {
    const path = [...base, field]
    if (isList(expectation)) {
      if (expectation.length === 0) return { path, problem: 'is an empty list, which no value satisfies' }
    } else if (typeof expectation === 'object') {
      const nested = findProblem(expectation, path)
      if (nested !== null) return nested
    } else {
      const problem = checkGuard(expectation)
      if (problem !== null) return { path, problem }
    }
  }
  return null
}

function checkGuard(guard: MockGuard): string | null {
  const pattern = patternOf(guard)
  if (pattern === null) return null
  if (!/^[is]*$/.test(pattern.flags)) return `is ${guard}; only the flags i and s are allowed`
  try {
    compile(pattern)
  } catch (error) {
    return `is an invalid regular expression: ${(error as Error).message}. For a literal between slashes write a list of one`
  }
  const bound = boundPattern(pattern.source)
  return 'problem' in bound ? `is ${guard}; ${bound.problem}` : null
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

function comparePattern(path: string, value: unknown, guard: string, pattern: Pattern): string | null {
  const bound = boundPattern(pattern.source)
  if ('problem' in bound) return `${path}: ${guard} is not a usable guard (${bound.problem})`
  const text = typeof value === 'string' ? value : isScalar(value) ? String(value) : null
  if (text !== null && text.length > bound.maxSubject)
    return `${path} is ${text.length} characters, more than this /regex/ guard checks (${bound.maxSubject})`
  return text !== null && compile(pattern).test(text) ? null : `${path} = ${show(value)} does not match ${guard}`
}

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

function compile({ source, flags }: Pattern): RegExp {
  return new RegExp(source, flags)
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

function countGuards(expect: Expectations): number {
  return Object.values(expect).reduce(
    (sum: number, one) => sum + (typeof one === 'object' && !isList(one) ? countGuards(one) : 1),
    0,
  )
}
