import { valueAt } from '../../documents/document.ts'
import { kindOf, type Asked, type How } from './check-kinds.ts'
import type { DeclaredCheck } from '../suite.ts'

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
  | { readonly kind: 'matches'; readonly value: string; readonly flags: string }

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
  const asked = kindOf(named.replace(/-(?:all|any|one)(?:-of)?$/, ''), how, isDenied)
  // Of two lists each may mean something else.
  const checks =
    others.length > 0 || asked === null ? [] : parts.flatMap(({ isAny, texts }) => checksOf(asked.kind, isAny, texts))
  return { checks, text, fields }
}

function checksOf(kind: Asked['kind'], isAny: boolean, texts: readonly string[]): readonly DistributedCheck[] {
  if (kind !== 'contains' && kind !== 'not-contains') return []
  if (kind === 'not-contains' || !isAny) return texts.map((value) => ({ kind, value }))
  const value = texts.map((one) => one.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('|')
  return [{ kind: 'matches', value, flags: '' }]
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
