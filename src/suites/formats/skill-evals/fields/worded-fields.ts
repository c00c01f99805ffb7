import { documentAt, type ReadDocument } from '../../../../documents/document.ts'
import { textElement, type Element } from './text-element.ts'
import { readTyped } from './typed-element.ts'
import { isSetting } from './facts.ts'
import type { How } from './check-kinds.ts'
import { softened } from './unknown-field.ts'
import { isOnlyList, isVague, wordingOf, wordsOf, type Wording } from './worded-names.ts'
import type { Position } from '../../../../documents/issue.ts'

/** A field that says by its name that its texts are expected, and whose value can be read. */
export interface WordedField {
  readonly name: string
  readonly value: unknown
}

/**
 * Whether a field that is in no list of ours is read by the words of its name. Beside a route `expected_…` is about the
 * skill and no result: only the route itself is read there.
 */
export function isWorded(name: string, value: unknown, isRouted: boolean): boolean {
  const wording = wordingOf(name)
  if (wording === null || (isRouted && isVague(name))) return false
  if (typeof value === 'boolean') return flagOf(name, value) !== null
  if (isOnlyList(name) && !Array.isArray(value)) return false
  if (typeof value === 'number') return wording.label !== '' && !wording.isForbidden && !isSetting(wordsOf(name), value)
  if (typeof value === 'string') return value.trim() !== '' && !MEANS_NOTHING.has(value.trim().toLowerCase())
  if (Array.isArray(value))
    return value.length > 0 && value.every(isReadable) && !(wording.label === '' && areIds(value))
  return false
}

// Whether all are numbers of what is written elsewhere: `R1`, `REQ-12`.
function areIds(list: readonly unknown[]): boolean {
  return list.length > 0 && list.every((one) => typeof one === 'string' && /^[A-Z]{1,6}[-_]?\d+(?:\.\d+)*$/.test(one))
}

function isReadable(one: unknown): boolean {
  if (typeof one === 'string') return one.trim() !== ''
  if (Array.isArray(one)) return one.length > 0 && one.every((text) => typeof text === 'string' && text.trim() !== '')
  return typeof one === 'object' && one !== null
}

const MEANS_NOTHING: ReadonlySet<string> = new Set(['-', 'n/a', 'na', 'none', 'null'])

/** Reads such a field of the value of `document`: a statement for each text, a check where an object is one. */
export function readWorded({ name, value }: WordedField, document: ReadDocument): readonly Element[] {
  const wording = wordingOf(name)
  if (wording === null) return []
  const inner = documentAt(document, [name])
  const flag = typeof value === 'boolean' ? flagOf(name, value) : null
  const fact = flag ?? (typeof value === 'number' ? `${wording.label}: ${value}` : null)
  if (fact !== null) return [{ statement: { text: fact, at: inner.positionOf([]), worded: true } }]
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const how = howOf(wording)
  const at = (index: number): Position => inner.positionOf(Array.isArray(value) ? [index] : [])
  if (wording.isAnyOf && list.length > 1 && list.every((one) => typeof one === 'string'))
    return [say(wording, quote(list), at(0))]
  return list.map((one, index): Element => {
    if (typeof one === 'string') return say(wording, one, at(index))
    if (Array.isArray(one)) return say(wording, quote(one as readonly string[]), at(index))
    const made = readTyped(one as Readonly<Record<string, unknown>>, documentAt(inner, [index]), at(index), how)
    const own = made.issues?.some(({ code }) => code === 'invalid-expectation') === true ? describe(one as object) : ''
    return own === '' ? { ...made, issues: (made.issues ?? []).map(softened) } : say(wording, own, at(index))
  })
}

// What is expected may have parts: `{ "file": "a.ts", "line": 7, "why": "It logs a header" }`.
function describe(one: object): string {
  const parts = Object.entries(one).filter(([key]) => !key.startsWith('_'))
  const areScalar = parts.every(([, part]: readonly [string, unknown]) => ['number', 'string'].includes(typeof part))
  if (!areScalar) return ''
  // A kind is of a check that is not known.
  if (parts.some(([key]) => key === 'type' || key === 'kind')) return ''
  return parts.map(([key, part]: readonly [string, unknown]) => `${wordsOf(key).join(' ')}: ${String(part)}`).join('; ')
}

// A sentence can say "must not" before a text, and a check cannot.
function howOf({ label, isForbidden, isDenied }: Wording): How {
  if (isDenied === true) return 'denied'
  return isForbidden || /^(?:Must|Should) (?:never|not)\b/.test(label) ? 'forbidden' : 'required'
}

function say({ label, isForbidden, isDenied }: Wording, text: string, at: Position): Element {
  if (isDenied === true) return textElement(text, at, 'denied')
  const words = label.toLowerCase()
  if (isForbidden) return textElement(`This must not be the case (${words}): ${text}`, at, 'required')
  return textElement(label === '' ? text : `${label}: ${text}`, at, 'required')
}

function quote(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(' or ')
}

// `must_refuse: true` is a sentence, and so is its opposite.
function flagOf(name: string, value: boolean): string | null {
  const [first = '', ...rest] = (wordingOf(name)?.label ?? '').split(' ')
  if (['Expect', 'Forbid'].includes(first))
    return deedOf(rest) === null ? null : value ? [first, ...rest].join(' ') : null
  if (!['Must', 'Should'].includes(first) || NO_DEEDS.has(rest.join(' '))) return null
  if (value) return [first, ...rest].join(' ')
  return rest[0] === 'not' ? null : [first, 'not', ...rest].join(' ')
}

// `expect_no_tools: true`. What is expected to fail is no expectation of a result.
function deedOf(words: readonly string[]): string | null {
  const isDeed = words.length > 0 && !words.some((word) => /^(?:baseline|errors?|fail|pass|skip|x)/.test(word))
  return isDeed && !isSetting(words, true) ? words.join(' ') : null
}

// Of what, the name does not say.
const NO_DEEDS: ReadonlySet<string> = new Set(['apply', 'call', 'choose', 'pick', 'run', 'select', 'use'])
