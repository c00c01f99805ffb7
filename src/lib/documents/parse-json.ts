import { printParseErrorCode, visit, type JSONVisitor } from 'jsonc-parser'

/** Strict JSON with positions: `JSON.parse` names no place for most mistakes and keeps the last of two equal keys. */
export function parseJson(text: string, maxScalars: number = MAX_SCALARS): Parsed {
  const mistakes: Mistake[] = []
  const roots: Node[] = []
  const open: Open[] = []
  let scalars = 0
  const count = (offset: number): void => {
    scalars += 1
    if (scalars > maxScalars) throw new JsonStop(tooMany(offset, maxScalars))
  }
  const add = (node: Node): void => {
    const parent = open.at(-1)
    if (parent === undefined) roots.push(node)
    else if (parent.kind === 'list') parent.items.push(node)
    else if (parent.key !== '__proto__')
      parent.entries.push({ key: parent.key, keyOffset: parent.keyOffset, value: node })
  }
  const begin = (node: Open): void => {
    if (open.length === MAX_DEPTH) throw new JsonStop(tooDeep(node.offset))
    add(node)
    open.push(node)
  }
  const end = (): void => void open.pop()
  const visitor: JSONVisitor = {
    onObjectBegin: (offset) =>
      begin({ kind: 'object', offset, entries: [], seen: new Set(), key: '', keyOffset: offset }),
    onArrayBegin: (offset) => begin({ kind: 'list', offset, items: [] }),
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty(key, keyOffset) {
      count(keyOffset)
      const parent = open.at(-1)
      if (parent?.kind !== 'object') return
      if (parent.seen.has(key)) mistakes.push(duplicateKey(key, keyOffset))
      if (key === '__proto__') mistakes.push(dangerousKey(key, keyOffset))
      parent.seen.add(key)
      Object.assign(parent, { key, keyOffset })
    },
    onLiteralValue(value: boolean | number | string | null, offset) {
      count(offset)
      add({ kind: 'scalar', offset, value })
    },
    onError(code, offset, length) {
      const isOver = open.length === 0 && roots.length > 0 && offset < text.length
      const name = isOver ? 'EndOfFileExpected' : printParseErrorCode(code)
      throw new JsonStop(wordError(name, text, offset, length))
    },
  }
  try {
    visit(text, visitor, { disallowComments: true, allowEmptyContent: true })
    return { node: roots[0] ?? null, mistakes }
  } catch (error) {
    if (!(error instanceof JsonStop)) throw error
    return { node: null, mistakes: [...mistakes, error.mistake] }
  }
}

/** A list or an object that has not ended. */
type Open =
  | { readonly kind: 'list'; readonly offset: number; readonly items: Node[] }
  | {
      readonly kind: 'object'
      readonly offset: number
      readonly entries: NodeEntry[]
      readonly seen: Set<string>
      /** The key whose value comes next. */
      key: string
      keyOffset: number
    }

// Control flow only: the first syntax error ends the parse.
class JsonStop extends Error {
  readonly mistake: Mistake

  constructor(mistake: Mistake) {
    super(mistake.message)
    this.mistake = mistake
  }
}

function wordError(name: string, text: string, offset: number, length: number): Mistake {
  const at = text.slice(offset, offset + Math.max(1, length))
  const code = 'json-syntax'
  const comma = /,\s*$/.exec(text.slice(0, offset))
  if (comma !== null && /^[\]}]/.test(at))
    return { code, offset: comma.index, message: `remove the comma before "${at.charAt(0)}"` }
  if (name === 'InvalidSymbol' && at.startsWith("'")) return { code, offset, message: 'use double quotes' }
  if (name === 'InvalidSymbol')
    return { code, offset, message: `${JSON.stringify(at)} is not JSON; put a text in double quotes` }
  if (name !== 'ValueExpected') return { code, offset, message: MESSAGES[name] ?? BROKEN_TEXT }
  const instead = at === '' ? 'but the file ends here' : `got ${JSON.stringify(at)}`
  return { code, offset, message: `expected a value, ${instead}` }
}

const COMMENT = 'comments are not allowed in JSON; remove it'
const BROKEN_TEXT = 'this text has no closing quote, or contains a line break or a wrong escape'
const MESSAGES: Readonly<Record<string, string>> = {
  InvalidCommentToken: COMMENT,
  UnexpectedEndOfComment: COMMENT,
  PropertyNameExpected: 'expected a key in double quotes',
  ColonExpected: 'expected ":" after the key',
  CommaExpected: 'expected "," before this, or the end of the list or object',
  CloseBraceExpected: 'expected "," or "}" in this object',
  CloseBracketExpected: 'expected "," or "]" in this list',
  EndOfFileExpected: 'nothing may follow the end of the JSON value',
  UnexpectedEndOfNumber: 'this number has no end',
}

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
export function tooMany(offset: number, most: number = MAX_SCALARS): Mistake {
  return { code: 'too-many-values', offset, message: `more than ${most} values in one file; split the file` }
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
