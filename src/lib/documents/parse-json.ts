/** Strict JSON with positions: `JSON.parse` names no place for most mistakes and keeps the last of two equal keys. */
export function parseJson(text: string, maxScalars: number = MAX_SCALARS): Parsed {
  const reader = new JsonReader(text, maxScalars)
  try {
    return { node: reader.readDocument(), mistakes: reader.mistakes }
  } catch (error) {
    if (!(error instanceof JsonStop)) throw error
    return { node: null, mistakes: [...reader.mistakes, error.mistake] }
  }
}

// Control flow only: the first syntax error ends the parse.
class JsonStop extends Error {
  readonly mistake: Mistake

  constructor(mistake: Mistake) {
    super(mistake.message)
    this.mistake = mistake
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /[A-Za-z_$][\w$]*/y
const STRING = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y
const BLANK = /[ \t\r\n]*/y
const WORDS = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

class JsonReader {
  readonly mistakes: Mistake[] = []
  readonly #text: string
  #offset = 0
  readonly #maxScalars: number
  #scalars = 0

  constructor(text: string, maxScalars: number) {
    this.#text = text
    this.#maxScalars = maxScalars
  }

  readDocument(): Node | null {
    this.#skipBlank()
    if (this.#offset === this.#text.length) return null
    const node = this.#readValue(1)
    this.#skipBlank()
    if (this.#offset < this.#text.length) this.#stop('nothing may follow the end of the JSON value')
    return node
  }

  #readValue(depth: number): Node {
    const character = this.#text[this.#offset]
    if ((character === '{' || character === '[') && depth > MAX_DEPTH) throw new JsonStop(tooDeep(this.#offset))
    if (character === '{') return this.#readObject(depth)
    if (character === '[') return this.#readList(depth)
    return this.#readScalar()
  }

  #readObject(depth: number): Node {
    const offset = this.#offset
    const entries: NodeEntry[] = []
    const seen = new Set<string>()
    this.#offset += 1
    for (let isFirst = true; !this.#take('}'); isFirst = false) {
      if (!isFirst) this.#expectComma('}', 'object')
      const keyOffset = this.#offset
      if (this.#text[keyOffset] !== '"') this.#stop('expected a key in double quotes')
      const key = this.#readString()
      this.#skipBlank()
      if (!this.#take(':')) this.#stop(`expected ":" after the key ${JSON.stringify(key)}`)
      this.#skipBlank()
      const value = this.#readValue(depth + 1)
      this.#skipBlank()
      if (seen.has(key)) this.mistakes.push(duplicateKey(key, keyOffset))
      seen.add(key)
      if (key === '__proto__') this.mistakes.push(dangerousKey(key, keyOffset))
      else entries.push({ key, keyOffset, value })
    }

    return { kind: 'object', offset, entries }
  }

  #readList(depth: number): Node {
    const offset = this.#offset
    const items: Node[] = []
    this.#offset += 1
    for (let isFirst = true; !this.#take(']'); isFirst = false) {
      if (!isFirst) this.#expectComma(']', 'list')
      items.push(this.#readValue(depth + 1))
      this.#skipBlank()
    }

    return { kind: 'list', offset, items }
  }

  #readScalar(): Node {
    const offset = this.#offset
    const character = this.#text[offset]
    this.#count()
    if (character === '"') return { kind: 'scalar', offset, value: this.#readString(false) }

    const word = this.#match(WORD)
    const value = word === null ? undefined : WORDS.get(word)
    if (value !== undefined) return { kind: 'scalar', offset, value }

    this.#offset = offset
    if (word !== null) this.#stop(`${JSON.stringify(word)} is not JSON; put a text in double quotes`)
    const number = this.#match(NUMBER)
    if (number === null) this.#stop(this.#describeUnexpected())
    return { kind: 'scalar', offset, value: Number(number) }
  }

  #readString(isCounted = true): string {
    if (isCounted) this.#count()
    const quoted = this.#match(STRING)
    if (quoted === null) this.#stop('this text has no closing quote, or contains a line break or a wrong escape')
    // Most texts hold no escape, and each field of thousands of cases is one.
    return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
  }

  #expectComma(end: string, what: string): void {
    if (!this.#take(',')) this.#stop(this.#isComment() ? COMMENT : `expected "," or "${end}" in this ${what}`)
    const comma = this.#text.lastIndexOf(',', this.#offset - 1)
    if (this.#text[this.#offset] !== end) return
    this.#offset = comma
    this.#stop(`remove the comma before "${end}"`)
  }

  #take(character: string): boolean {
    this.#skipBlank()
    if (this.#text[this.#offset] !== character) return false
    this.#offset += 1
    this.#skipBlank()
    return true
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#offset
    const found = pattern.exec(this.#text)?.[0] ?? null
    if (found !== null) this.#offset += found.length
    return found
  }

  #skipBlank(): void {
    // Mostly there is none.
    if (this.#text.charCodeAt(this.#offset) <= 0x20) this.#match(BLANK)
  }

  #count(): void {
    this.#scalars += 1
    if (this.#scalars > this.#maxScalars) throw new JsonStop(tooMany(this.#offset, this.#maxScalars))
  }

  #isComment(): boolean {
    return this.#text.startsWith('//', this.#offset) || this.#text.startsWith('/*', this.#offset)
  }

  #describeUnexpected(): string {
    if (this.#isComment()) return COMMENT
    const character = this.#text[this.#offset]
    if (character === undefined) return 'expected a value, but the file ends here'
    if (character === "'") return 'use double quotes'
    return `expected a value, got ${JSON.stringify(character)}`
  }

  #stop(message: string): never {
    const isComment = this.#isComment()
    const worded = isComment ? COMMENT : message
    throw new JsonStop({ code: 'json-syntax', offset: this.#offset, message: worded })
  }
}

const COMMENT = 'comments are not allowed in JSON; remove it'

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
