import { valueAt } from '../../../../documents/document.ts'
import { kindOf, type Asked, type How } from './check-kinds.ts'
import { problemOf, readPattern } from './make-check.ts'
import type { DeclaredCheck } from '../../../suite.ts'

/** What an element says of several texts at once. */
export interface ListedTexts {
  /** Checks of the single texts; empty where a judge decides. */
  readonly checks: readonly DistributedCheck[]
  /** The texts as the end of a sentence. */
  readonly text: string
  /** The fields that hold them. */
  readonly fields: readonly string[]
}

type DistributedCheck =
  | { readonly kind: 'contains' | 'not-contains'; readonly value: string }
  | { readonly kind: 'matches' | 'not-matches'; readonly value: string; readonly flags: string }

/** Reads an element with lists of texts: `{ "type": "contains_any", "values": ["a", "b"] }`, `{ "any": ["a", "b"] }`. */
export function readListed(
  element: Readonly<Record<string, unknown>>,
  kind: string,
  how: How,
  isDenied: boolean,
): ListedTexts | null {
  const fields = [...ANY, ...ALL].filter((name) => areTexts(valueAt(element, name)))
  const [first, ...others] = fields
  if (first === undefined) return null
  const parts = fields.map((field) => {
    const isAny = ANY.includes(field) || /-(?:any|one)(?:-of)?$/.test(kind)
    return { field, isAny, texts: valueAt(element, field) as readonly string[] }
  })
  const clauses = parts.map(({ isAny, texts }) => {
    const shown = texts.map((text) => JSON.stringify(text)).join(isAny ? ' or ' : ' and ')
    return `${isAny ? 'one' : 'all'} of ${shown}`
  })
  const text = `contains ${clauses.join(', and ')}`
  const named = kind === '' ? first.replaceAll('_', '-') : kind
  const asked = kindOf(named.replace(SUFFIX, ''), how, isDenied)
  // Of two lists each may mean something else.
  const checks =
    others.length > 0 || asked === null ? [] : parts.flatMap(({ isAny, texts }) => checksOf(asked.kind, isAny, texts))
  return { checks, text, fields }
}

/**
 * Reads an element whose fields are named as kinds, with lists of texts or several of them:
 * `{ "contains_any": ["a", "b"], "not_contains": ["c"] }`. All of them have to hold.
 */
export function readNamed(element: Readonly<Record<string, unknown>>, how: How): ListedTexts | null {
  const named = Object.entries(element).flatMap(([field, value]: readonly [string, unknown]) => {
    const name = field.replaceAll('_', '-')
    const asked = kindOf(name.replace(SUFFIX, '').replace(/^(not-)?matches$/, '$1regex'), how)
    const texts = typeof value === 'string' ? [value] : value
    return asked === null || asked.kind === 'file-exists' || !areTexts(texts)
      ? []
      : [{ field, kind: asked.kind, texts, isAny: /-(?:any|one)(?:-of)?$/.test(name), isList: texts === value }]
  })
  if (named.length < 2 && !named.some(({ isList }) => isList)) return null
  const made = named.map(({ kind, isAny, texts }) => checksOf(kind, isAny, texts))
  const fields = named.map(({ field }) => field)
  return made.every((checks) => checks.length > 0) ? { checks: made.flat(), text: '', fields } : null
}

const SUFFIX = /-(?:all|any|one)(?:-of)?$/

function checksOf(kind: Asked['kind'], isAny: boolean, texts: readonly string[]): readonly DistributedCheck[] {
  if (kind === 'matches' || kind === 'not-matches') return patternsOf(kind, isAny, texts)
  if (kind === 'file-exists') return []
  if (kind === 'not-contains' || !isAny) return texts.map((value) => ({ kind, value }))
  const value = texts.map((one) => one.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('|')
  return [{ kind: 'matches', value, flags: '' }]
}

// Of patterns with flags of their own no single one can be made.
function patternsOf(
  kind: 'matches' | 'not-matches',
  isAny: boolean,
  texts: readonly string[],
): readonly DistributedCheck[] {
  const read = texts.map((text) => readPattern(text, ''))
  const [first] = read
  if (first === undefined || read.some(({ pattern, flags }) => problemOf(pattern, flags) !== null)) return []
  if (kind === 'not-matches' || !isAny) return read.map(({ pattern, flags }) => ({ kind, value: pattern, flags }))
  if (read.some(({ flags }) => flags !== first.flags)) return []
  return [{ kind, value: read.map(({ pattern }) => `(?:${pattern})`).join('|'), flags: first.flags }]
}

const ANY: readonly string[] = ['any', 'any_of', 'one_of', 'contains_any']
const ALL: readonly string[] = [
  'all',
  'all_of',
  'contains_all',
  'contains',
  'keywords',
  'patterns',
  'phrases',
  'terms',
  'value',
  'values',
]

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one.trim() !== '')
}

/** Adds to checks what they all have. */
export function withPlace({ checks }: ListedTexts, own: Pick<DeclaredCheck, 'at' | 'says'>): readonly DeclaredCheck[] {
  return checks.map((check) => ({ ...check, ...own }))
}
