import type { MockExpectation, MockGuard } from './model.ts'

// Part of the mock server, which runs inside the sandbox: it may import types and Node only.

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

// Part of the mock server, which runs inside the sandbox: it may import types and Node only.

/** Characters of a value that a pattern without quantifiers looks at. */
const MAX_SUBJECT = 8192
/** Steps that one match may take. */
const MAX_STEPS = 50_000_000
/** Least useful length of a value that a pattern looks at. */
const MIN_SUBJECT = 16

const DIALECT =
  'not supported in a guard: write literals, ".", classes and quantifiers of single characters, ^ only at the start, $ only at the end; or use a list of literals, a type or several guards'

/**
 * How long a value a pattern may look at, or why it cannot be used. The dialect is that of Claude Code, which refuses every
 * other pattern when it loads the case: a pattern of it takes a number of steps that is known from its quantifiers and the
 * length of the value, so that no call of the agent can keep the server busy.
 */
function boundPattern(source: string): { readonly maxSubject: number } | { readonly problem: string } {
  const parsed = parsePattern(source)
  if (typeof parsed === 'string') return { problem: parsed }
  const { openEnded, repeats, length, isAnchored } = parsed
  if (repeats > MAX_STEPS) return { problem: 'it has too many optional or bounded repeats' }
  const steps = (size: number): number => {
    let ways = 1
    for (let index = 1; index <= openEnded; index += 1) ways = (ways * (size + index)) / index
    return (isAnchored ? 1 : Math.max(1, size)) * ways * repeats * (size + length)
  }
  let least = 0
  let most = MAX_SUBJECT
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (steps(middle) <= MAX_STEPS) least = middle
    else most = middle - 1
  }
  return least < MIN_SUBJECT ? { problem: 'its repeats take too long; use fewer quantifiers' } : { maxSubject: least }
}

interface ParsedPattern {
  openEnded: number
  repeats: number
  length: number
  isAnchored: boolean
}

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})/

function parsePattern(source: string): ParsedPattern | string {
  const parsed: ParsedPattern = { openEnded: 0, repeats: 1, length: 0, isAnchored: false }
  let hasAtom = false
  let isQuantified = false
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index] ?? ''
    const rest = source.slice(index)
    if ('()|'.includes(character)) return DIALECT
    if (character === '^' || character === '$') {
      if (index !== (character === '^' ? 0 : source.length - 1)) return DIALECT
      if (character === '^') parsed.isAnchored = true
      hasAtom = false
      isQuantified = false
      continue
    }
    const quantifier = QUANTIFIER.exec(rest)
    if (quantifier !== null) {
      // A question mark after a quantifier makes it lazy.
      if (character === '?' && isQuantified) {
        isQuantified = false
        continue
      }
      const problem = addQuantifier(parsed, quantifier, hasAtom)
      if (problem !== null) return problem
      index += quantifier[0].length - 1
      hasAtom = false
      isQuantified = true
      continue
    }
    isQuantified = false
    const atom = readAtom(rest)
    if (typeof atom === 'string') return atom
    hasAtom = atom.isAtom
    if (atom.isAtom) parsed.length += 1
    index += atom.length - 1
  }
  return parsed
}

function addQuantifier(parsed: ParsedPattern, quantifier: RegExpExecArray, hasAtom: boolean): string | null {
  if (!hasAtom) return 'a quantifier must follow a single character, an escape or a class'
  const [written, low, high] = quantifier
  const least = low === undefined ? (written === '+' ? 1 : 0) : Number(low)
  const most =
    low === undefined
      ? written === '?'
        ? 1
        : Infinity
      : high === undefined
        ? least
        : high === ''
          ? Infinity
          : Number(high)
  if (most < least) return `the quantifier ${written} has its limits in the wrong order`
  parsed.length += (most === Infinity ? least : most) - 1
  if (most === Infinity) parsed.openEnded += 1
  else parsed.repeats *= most - least + 1
  return null
}

function readAtom(rest: string): { readonly isAtom: boolean; readonly length: number } | string {
  if (rest.startsWith('\\')) {
    const next = rest[1]
    if (next === undefined) return 'it ends with a single backslash'
    if (/[1-9k]/.test(next)) return DIALECT
    return { isAtom: next !== 'b' && next !== 'B', length: 2 }
  }
  if (!rest.startsWith('[')) return { isAtom: true, length: 1 }
  const [written] = /^\[(?:\\.|[^\]\\])*\]/s.exec(rest) ?? []
  return written === undefined ? 'its character class is not closed' : { isAtom: true, length: written.length }
}
