import { valueAt } from '../../documents/document.ts'
import { kindOf, type How } from './check-kinds.ts'
import type { DeclaredCheck } from '../suite.ts'

/** What an element says of several texts at once. */
export interface ListedTexts {
  /** Checks of the single texts; empty where a judge decides. */
  readonly checks: readonly DistributedCheck[]
  /** The texts as the end of a sentence. */
  readonly text: string
  /** The field that holds them. */
  readonly field: string
}

type DistributedCheck =
  | { readonly kind: 'contains' | 'not-contains'; readonly value: string }
  | { readonly kind: 'matches'; readonly value: string; readonly flags: string }

/** Reads an element with a list of texts: `{ "type": "contains_any", "values": ["a", "b"] }`, `{ "any": ["a", "b"] }`. */
export function readListed(
  element: Readonly<Record<string, unknown>>,
  kind: string,
  how: How,
  isDenied: boolean,
): ListedTexts | null {
  const field = [...ANY, ...ALL].find((name) => areTexts(valueAt(element, name)))
  if (field === undefined) return null
  const texts = valueAt(element, field) as readonly string[]
  const isAny = ANY.includes(field) || /-(?:any|one)(?:-of)?$/.test(kind)
  const named = kind === '' ? field.replaceAll('_', '-') : kind
  const asked = kindOf(named.replace(/-(?:all|any|one)(?:-of)?$/, ''), how, isDenied)
  const shown = texts.map((text) => JSON.stringify(text)).join(isAny ? ' or ' : ' and ')
  const text = `contains ${isAny ? 'one' : 'all'} of ${shown}`
  if (asked?.kind === 'contains' && isAny) {
    const value = texts.map((one) => one.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('|')
    return { checks: [{ kind: 'matches', value, flags: '' }], text, field }
  }
  if (asked?.kind === 'contains' || asked?.kind === 'not-contains') {
    const own = asked.kind
    return { checks: texts.map((value) => ({ kind: own, value })), text, field }
  }
  return { checks: [], text, field }
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
