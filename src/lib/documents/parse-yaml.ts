import { CST, Lexer, isMap, isScalar, isSeq, parseDocument, type Pair, type YAMLError } from 'yaml'
import {
  MAX_DEPTH,
  MAX_SCALARS,
  dangerousKey,
  duplicateKey,
  tooDeep,
  tooMany,
  type Mistake,
  type Node,
  type NodeEntry,
  type Parsed,
} from './parse-json.ts'

const MAX_MISTAKES = 20

/** YAML 1.2 without anchors, aliases, tags and directives; linear in the length of the text. */
export function parseYaml(text: string): Parsed {
  const refused = scanYaml(text)
  if (refused !== null) return { node: null, mistakes: [refused] }

  // `uniqueKeys` of the package compares every key with every other; the walk below does it with a set.
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, schema: 'core' })
  if (document.errors.length > 0) {
    return { node: null, mistakes: document.errors.slice(0, MAX_MISTAKES).map(wordError) }
  }

  if (document.warnings.length > 0) return { node: null, mistakes: document.warnings.map(wordError) }
  if (document.contents === null) return { node: null, mistakes: [] }

  const mistakes: Mistake[] = []
  const node = convert(document.contents, 1, 0, mistakes)
  return { node, mistakes }
}

function wordError(error: YAMLError): Mistake {
  const offset = error.pos[0]
  if (error.code === 'MULTIPLE_DOCS') {
    return { code: 'two-documents', offset, message: 'a second document starts here; one file contains one document' }
  }

  if (error.code === 'TAB_AS_INDENT') {
    return { code: 'yaml-syntax', offset, message: 'a tab is used as indentation; use spaces' }
  }

  if (error.code === 'BLOCK_AS_IMPLICIT_KEY') {
    return { code: 'yaml-syntax', offset, message: 'a ": " inside a value; put the whole value in quotes' }
  }

  const unclosed = /^Flow (map|sequence) in block collection/.exec(error.message)?.[1]
  if (unclosed !== undefined) {
    const [what, end] = unclosed === 'map' ? ['object', '}'] : ['list', ']']
    return {
      code: 'yaml-syntax',
      offset,
      message: `the ${what} above is not closed here; end it with ${end}, or indent this line`,
    }
  }

  return { code: 'yaml-syntax', offset, message: lowerFirst(error.message) }
}

function lowerFirst(sentence: string): string {
  return /^[A-Z][a-z]/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence
}

function convert(node: unknown, depth: number, fallback: number, mistakes: Mistake[]): Node {
  if (isScalar(node)) return { kind: 'scalar', offset: node.range?.[0] ?? fallback, value: plainScalar(node.value) }

  if (!isMap(node) && !isSeq(node)) return { kind: 'scalar', offset: fallback, value: null }
  const offset = node.range?.[0] ?? fallback
  if (depth > MAX_DEPTH) {
    mistakes.push(tooDeep(offset))
    return { kind: 'scalar', offset, value: null }
  }

  if (isSeq(node)) {
    return { kind: 'list', offset, items: node.items.map((item) => convert(item, depth + 1, offset, mistakes)) }
  }

  const seen = new Set<string>()
  const entries = node.items.flatMap((pair) => convertPair(pair, depth, offset, seen, mistakes) ?? [])
  return { kind: 'object', offset, entries }
}

function convertPair(
  pair: Pair,
  depth: number,
  parentOffset: number,
  seen: Set<string>,
  mistakes: Mistake[],
): NodeEntry | null {
  if (!isScalar(pair.key)) {
    const message = 'a key must be plain text, not a list or an object'
    mistakes.push({ code: 'complex-key', offset: keyOffset(pair.key, parentOffset), message })
    return null
  }

  const offset = pair.key.range?.[0] ?? parentOffset
  const key = typeof pair.key.value === 'string' ? pair.key.value : (pair.key.source ?? '')
  if (key === '__proto__') {
    mistakes.push(dangerousKey(key, offset))
    return null
  }

  if (seen.has(key)) mistakes.push(duplicateKey(key, offset))
  seen.add(key)
  return { key, keyOffset: offset, value: convert(pair.value, depth + 1, offset, mistakes) }
}

function keyOffset(key: unknown, fallback: number): number {
  return isMap(key) || isSeq(key) ? (key.range?.[0] ?? fallback) : fallback
}

function plainScalar(value: unknown): boolean | number | string | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return null
}

/** Commas, dashes, colons and brackets: a text of nothing else is as slow to parse as one of values. */
const MAX_TOKENS = 80_000

// Composing is where a hostile text costs seconds, so what must be refused is refused here, in one linear pass.
function scanYaml(text: string): Mistake | null {
  const columns: number[] = []
  let offset = 0
  let lineStart = 0
  let flowDepth = 0
  let scalars = 0
  let tokens = 0
  let atNodeStart = true
  let isScalarText = false

  for (const lexeme of new Lexer().lex(text)) {
    const type: LexemeType = isScalarText ? 'scalar-text' : CST.tokenType(lexeme)
    isScalarText = type === 'scalar'

    const refused = refuse(type, lexeme, offset)
    if (refused !== null) return refused

    if (isPlainScalar(type)) scalars += 1
    if (!isBlank(type)) tokens += 1
    if (scalars > MAX_SCALARS || tokens > MAX_TOKENS) return tooMany(offset)

    if (type === 'flow-map-start' || type === 'flow-seq-start') flowDepth += 1
    if (type === 'flow-map-end' || type === 'flow-seq-end') flowDepth = Math.max(0, flowDepth - 1)

    if (flowDepth === 0 && atNodeStart && !isBlank(type)) {
      const column = offset - lineStart
      while ((columns.at(-1) ?? -1) > column) columns.pop()
      if ((columns.at(-1) ?? -1) < column) columns.push(column)
    }

    if (columns.length + flowDepth > MAX_DEPTH) return tooDeep(offset)

    atNodeStart = type === 'newline' || isIndicator(type) || (atNodeStart && isBlank(type))
    if (isMarker(type)) continue
    offset += lexeme.length
    const lastNewline = lexeme.lastIndexOf('\n')
    if (lastNewline === -1) continue
    lineStart = offset - lexeme.length + lastNewline + 1
    atNodeStart = true
  }

  return null
}

type LexemeType = CST.TokenType | 'doc-mode' | 'flow-error-end' | 'scalar' | 'scalar-text' | null

function refuse(type: LexemeType, lexeme: string, offset: number): Mistake | null {
  if (type === 'anchor' || type === 'alias') {
    return {
      code: 'yaml-alias',
      offset,
      message: `anchors and aliases are not supported (${excerpt(lexeme)}); write the value out, or quote the text`,
    }
  }

  if (type === 'tag') {
    return {
      code: 'yaml-tag',
      offset,
      message: `tags are not supported (${excerpt(lexeme)}); remove it, or quote the text`,
    }
  }

  if (type === 'directive-line') {
    return {
      code: 'yaml-directive',
      offset,
      message: `directives are not supported (${excerpt(lexeme)}); remove the line`,
    }
  }

  const isQuoted = type === 'single-quoted-scalar' || type === 'double-quoted-scalar'
  if (isQuoted && (lexeme.length < 2 || lexeme.at(-1) !== lexeme[0])) {
    return { code: 'yaml-syntax', offset, message: 'this quote is never closed' }
  }

  return null
}

function excerpt(lexeme: string): string {
  return lexeme.length > 30 ? `${lexeme.slice(0, 30)}...` : lexeme
}

function isPlainScalar(type: LexemeType): boolean {
  return (
    type === 'scalar' ||
    type === 'single-quoted-scalar' ||
    type === 'double-quoted-scalar' ||
    type === 'block-scalar-header'
  )
}

function isBlank(type: LexemeType): boolean {
  return (
    type === 'space' ||
    type === 'newline' ||
    type === 'comment' ||
    type === 'doc-mode' ||
    type === 'byte-order-mark' ||
    type === 'scalar-text'
  )
}

function isIndicator(type: LexemeType): boolean {
  return type === 'seq-item-ind' || type === 'explicit-key-ind'
}

// The lexer announces these between the pieces of the text; they take no room in it.
function isMarker(type: LexemeType): boolean {
  return type === 'doc-mode' || type === 'flow-error-end' || type === 'scalar'
}
