import { CST, Lexer, isAlias, isCollection, isScalar, isSeq, parseDocument, type Pair, type YAMLError } from 'yaml'
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

/**
 * YAML 1.2 without anchors, aliases, tags and directives; linear in the length of the text. A foreign text is read as its
 * owner reads it: the last of two equal keys counts, tags have no effect, and an alias is the plain value of its anchor.
 */
export function parseYaml(text: string, isForeign = false): Parsed {
  const refused = scanYaml(text, isForeign)
  if (refused !== null) return { node: null, mistakes: [refused] }

  // `uniqueKeys` of the package compares every key with every other; the walk below does it with a set.
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, schema: 'core' })
  const { errors, warnings } = document
  const problems = errors.length > 0 || isForeign ? errors : warnings
  if (problems.length > 0) return { node: null, mistakes: wordErrors(problems, text) }
  if (document.contents === null) return { node: null, mistakes: [] }

  const walk: Walk = { mistakes: [], anchors: new Map(), isForeign }
  const node = convert(document.contents, 1, 0, walk)
  return { node, mistakes: walk.mistakes }
}

// The library reports some mistakes of one line twice.
function wordErrors(errors: readonly YAMLError[], text: string): readonly Mistake[] {
  const lines = new Set<number>()
  const first = errors.filter(({ pos: [offset] }) => {
    const lineStart = text.lastIndexOf('\n', offset - 1)
    return !lines.has(lineStart) && lines.add(lineStart)
  })
  return first.slice(0, MAX_MISTAKES).map((error) => wordError(error, text))
}

function wordError({ code, message, pos: [offset] }: YAMLError, text: string): Mistake {
  const wrongSyntax = (says: string, at = offset): Mistake => ({ code: 'yaml-syntax', offset: at, message: says })
  if (code === 'MULTIPLE_DOCS')
    return { code: 'two-documents', offset, message: 'a second document starts here; one file contains one document' }
  if (code === 'TAB_AS_INDENT') return wrongSyntax('a tab is used as indentation; use spaces')
  if (code === 'BLOCK_AS_IMPLICIT_KEY') {
    const deeper = findDeeperLine(text, offset)
    return deeper === null
      ? wrongSyntax('a ": " inside a value; put the whole value in quotes')
      : wrongSyntax(INDENTED_DEEPER, deeper)
  }
  const unclosed = /^Flow (map|sequence) in block collection/.exec(message)?.[1]
  if (unclosed === undefined) return wrongSyntax(lowerFirst(message))
  const [what, end] = unclosed === 'map' ? ['object', '}'] : ['list', ']']
  return wrongSyntax(`the ${what} above is not closed here; end it with ${end}, or indent this line`)
}

const INDENTED_DEEPER =
  'indented deeper than the line above, so this is read as a part of its value; indent it like its neighbours'

// A value goes on in the lines below it that are indented deeper: the first of them that looks like a key was meant as one.
function findDeeperLine(text: string, valueOffset: number): number | null {
  const lines = text.slice(valueOffset).split('\n')
  const index = lines.findIndex((line) => COLON.test(line))
  if (index === 0) return null
  // Without any, an item of a list was meant.
  const before = lines.slice(0, Math.max(0, index)).join('\n')
  const start = valueOffset + (before === '' ? 0 : before.length + 1)
  return start + text.slice(start).search(/\S/)
}

const COLON = /:(?:\s|$)/

function lowerFirst(sentence: string): string {
  return /^[A-Z][a-z]/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence
}

interface Walk {
  readonly mistakes: Mistake[]
  /** Plain values by their anchor. */
  readonly anchors: Map<string, Node>
  readonly isForeign: boolean
}

function convert(node: unknown, depth: number, fallback: number, walk: Walk): Node {
  if (isScalar(node)) {
    const scalar: Node = { kind: 'scalar', offset: node.range?.[0] ?? fallback, value: plainScalar(node.value) }
    if (node.anchor !== undefined) walk.anchors.set(node.anchor, scalar)
    return scalar
  }

  if (isAlias(node)) return walk.anchors.get(node.source) ?? refuseAlias(node.source, fallback, walk)
  if (!isCollection(node)) return { kind: 'scalar', offset: fallback, value: null }
  const offset = node.range?.[0] ?? fallback
  if (depth > MAX_DEPTH) {
    walk.mistakes.push(tooDeep(offset))
    return { kind: 'scalar', offset, value: null }
  }

  // A list or an object is not repeated: few lines could become millions.
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, { kind: 'scalar', offset, value: null })
  if (isSeq(node)) {
    return { kind: 'list', offset, items: node.items.map((item) => convert(item, depth + 1, offset, walk)) }
  }

  const seen = new Set<string>()
  const entries = node.items.flatMap((pair) => convertPair(pair, depth, offset, seen, walk) ?? [])
  return { kind: 'object', offset, entries }
}

function refuseAlias(name: string, offset: number, { mistakes }: Walk): Node {
  mistakes.push({ code: 'yaml-alias', offset, message: `no anchor is called ${JSON.stringify(name)}; quote the text` })
  return { kind: 'scalar', offset, value: null }
}

function convertPair(pair: Pair, depth: number, parentOffset: number, seen: Set<string>, walk: Walk): NodeEntry | null {
  const note = (mistake: Mistake): null => {
    if (!walk.isForeign) walk.mistakes.push(mistake)
    return null
  }
  // The library reads `[a]: b` behind a key as a list and a value without a key.
  if (!isScalar(pair.key) || (pair.key.value === null && !pair.key.source)) {
    const start = isCollection(pair.key) ? pair.key.range?.[0] : undefined
    const message = 'a key must be plain text, not a list or an object'
    walk.mistakes.push({ code: 'complex-key', offset: start ?? parentOffset, message })
    return null
  }

  const offset = pair.key.range?.[0] ?? parentOffset
  const key = typeof pair.key.value === 'string' ? pair.key.value : (pair.key.source ?? '')
  if (key === '__proto__') return note(dangerousKey(key, offset))
  if (seen.has(key)) note(duplicateKey(key, offset))
  seen.add(key)
  return { key, keyOffset: offset, value: convert(pair.value, depth + 1, offset, walk) }
}

function plainScalar(value: unknown): boolean | number | string | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return null
}

/** Commas, dashes, colons and brackets: a text of nothing else is as slow to parse as one of values. */
const MAX_TOKENS = 80_000

// Composing is where a hostile text costs seconds, so what must be refused is refused here, in one linear pass.
function scanYaml(text: string, isForeign: boolean): Mistake | null {
  let [offset, flowDepth, dashes, scalars, tokens] = [0, 0, 0, 0, 0]
  let isScalarText = false
  for (const lexeme of new Lexer().lex(text)) {
    const type: LexemeType = isScalarText ? 'scalar-text' : CST.tokenType(lexeme)
    isScalarText = type === 'scalar'
    const refused = refuse(type, lexeme, offset, isForeign)
    if (refused !== null) return refused

    if (SCALARS.has(type)) scalars += 1
    if (!BLANKS.has(type)) tokens += 1
    if (scalars > MAX_SCALARS || tokens > MAX_TOKENS) return tooMany(offset)

    if (type === 'flow-map-start' || type === 'flow-seq-start') flowDepth += 1
    if (type === 'flow-map-end' || type === 'flow-seq-end') flowDepth = Math.max(0, flowDepth - 1)
    if (type === 'seq-item-ind' || type === 'explicit-key-ind') dashes += 1
    // Indentation alone cannot nest so deeply in a file of this size that composing fails.
    if (Math.max(flowDepth, dashes) > MAX_DEPTH) return tooDeep(offset)
    if (lexeme.includes('\n')) dashes = 0
    if (!MARKERS.has(type)) offset += lexeme.length
  }
  return null
}

type LexemeType = CST.TokenType | 'doc-mode' | 'flow-error-end' | 'scalar' | 'scalar-text' | null

const SCALARS: ReadonlySet<LexemeType> = new Set<LexemeType>([
  'scalar',
  'single-quoted-scalar',
  'double-quoted-scalar',
  'block-scalar-header',
])
const BLANKS: ReadonlySet<LexemeType> = new Set<LexemeType>([
  'space',
  'newline',
  'comment',
  'doc-mode',
  'byte-order-mark',
  'scalar-text',
])
// The lexer announces these between the pieces of the text; they take no room in it.
const MARKERS: ReadonlySet<LexemeType> = new Set<LexemeType>(['doc-mode', 'flow-error-end', 'scalar'])

function refuse(type: LexemeType, lexeme: string, offset: number, isForeign: boolean): Mistake | null {
  const [code, what, remedy] = UNSUPPORTED.get(type) ?? []
  if (code !== undefined && (!isForeign || type === 'directive-line'))
    return { code, offset, message: `${what} are not supported (${excerpt(lexeme)}); ${remedy}` }
  const isQuoted = type === 'single-quoted-scalar' || type === 'double-quoted-scalar'
  const isOpen = isQuoted && (lexeme.length < 2 || lexeme.at(-1) !== lexeme[0])
  return isOpen ? { code: 'yaml-syntax', offset, message: 'this quote is never closed' } : null
}

const ALIAS = ['yaml-alias', 'anchors and aliases', 'write the value out, or quote the text'] as const
const UNSUPPORTED = new Map<LexemeType, readonly [code: string, what: string, remedy: string]>([
  ['anchor', ALIAS],
  ['alias', ALIAS],
  ['tag', ['yaml-tag', 'tags', 'remove it, or quote the text']],
  ['directive-line', ['yaml-directive', 'directives', 'remove the line']],
])

function excerpt(lexeme: string): string {
  return lexeme.length > 30 ? `${lexeme.slice(0, 30)}...` : lexeme
}
