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
 * How long a value a pattern may look at, or why it cannot be used. A pattern of this dialect takes a number of steps that
 * is known from its quantifiers and the length of the value, so that no call of the agent can keep the server busy.
 */
export function boundPattern(source: string): { readonly maxSubject: number } | { readonly problem: string } {
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
