/** A parsed value that remembers where it was written. Both parsers produce it. */
export type Node =
  | { readonly kind: 'scalar'; readonly offset: number; readonly value: boolean | number | string | null }
  | { readonly kind: 'list'; readonly offset: number; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly offset: number; readonly entries: readonly NodeEntry[] }

/** One `key: value` of an object. */
export interface NodeEntry {
  readonly key: string
  readonly keyOffset: number
  readonly value: Node
}

/** A mistake at a place in the text. */
export interface Mistake {
  readonly code: string
  readonly offset: number
  readonly message: string
}

/** What a parser hands back: no node when it could not go on. */
export interface Parsed {
  readonly node: Node | null
  readonly mistakes: readonly Mistake[]
}

/** Lists and objects in each other, counted from the root. Nothing that a person writes comes near. */
export const MAX_DEPTH = 32

/** Keys and plain values of one file together. */
export const MAX_SCALARS = 20_000

/** Says of which key the second one is, in the words of every format. */
export function duplicateKey(key: string, offset: number): Mistake {
  return {
    code: 'duplicate-key',
    offset,
    message: `the key ${JSON.stringify(key)} is duplicated; keep one of them`,
  }
}

/** Refused before anything is built from it: the key would change the object that holds it. */
export function dangerousKey(key: string, offset: number): Mistake {
  return { code: 'unknown-field', offset, message: `${JSON.stringify(key)} is not a field; remove it` }
}

/** The mistake of a text that only makes sense as an attack or as an accident. */
export function tooDeep(offset: number): Mistake {
  return { code: 'too-deep', offset, message: `nested deeper than ${MAX_DEPTH} levels; write it flatter` }
}

/** Whether a value is nested deeper than a file of an author may be, or than so many levels. What reads it by calling itself would not end well. */
export function isTooDeep(value: unknown, levels: number = MAX_DEPTH): boolean {
  let level = [value]
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return true
}

/** Refused before it is built: parsing so many takes too long. */
export function tooMany(offset: number): Mistake {
  return { code: 'too-many-values', offset, message: `more than ${MAX_SCALARS} values in one file; split the file` }
}

/** The plain value of a node. */
export function toValue(node: Node): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'list') return node.items.map(toValue)
  const value: Record<string, unknown> = {}
  // Parsers let no `__proto__` through.
  for (const entry of node.entries) value[entry.key] = toValue(entry.value)
  return value
}
