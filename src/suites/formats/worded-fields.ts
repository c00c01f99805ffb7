import { documentAt, noEffectAt, type ReadDocument } from '../../documents/document.ts'
import { readTyped, textElement, type Element } from './typed-element.ts'
import { isVague, wordingOf, type Wording } from './worded-names.ts'
import type { Issue, Position } from '../../documents/issue.ts'

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
  if (wordingOf(name) === null || (isRouted && isVague(name))) return false
  if (typeof value === 'boolean') return flagOf(name, value) !== null
  if (typeof value === 'string') return value.trim() !== '' && !MEANS_NOTHING.has(value.trim().toLowerCase())
  if (Array.isArray(value)) return value.length > 0 && value.every(isReadable)
  return false
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
  if (flag !== null) return [textElement(flag, inner.positionOf([]), 'required')]
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const at = (index: number): Position => inner.positionOf(Array.isArray(value) ? [index] : [])
  if (wording.isAnyOf && list.length > 1 && list.every((one) => typeof one === 'string'))
    return [say(wording, quote(list), at(0))]
  return list.map((one, index): Element => {
    if (typeof one === 'string') return say(wording, one, at(index))
    if (Array.isArray(one)) return say(wording, quote(one as readonly string[]), at(index))
    const how = wording.isForbidden ? 'forbidden' : 'required'
    const made = readTyped(one as Readonly<Record<string, unknown>>, documentAt(inner, [index]), at(index), how)
    return { ...made, issues: (made.issues ?? []).map((issue) => softened(issue, inner, index)) }
  })
}

// A list of the author's own is not ours to refuse; what is not understood in it is named.
function softened(issue: Issue, document: ReadDocument, index: number): Issue {
  if (issue.severity === 'warning' || issue.code === 'invalid-pattern') return issue
  return noEffectAt(document, [index], 'has no effect: neither a text nor a check of a known type')
}

function say({ label, isForbidden }: Wording, text: string, at: Position): Element {
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
  if (!['Must', 'Should'].includes(first) || NO_DEEDS.has(rest.join(' '))) return null
  if (value) return [first, ...rest].join(' ')
  return rest[0] === 'not' ? null : [first, 'not', ...rest].join(' ')
}

// Of what, the name does not say.
const NO_DEEDS: ReadonlySet<string> = new Set(['apply', 'call', 'choose', 'pick', 'run', 'select', 'use'])
