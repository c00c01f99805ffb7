import { isMap, isScalar, isSeq, parseDocument, type Pair, type YAMLError } from 'yaml'
import {
  dangerousKey,
  duplicateKey,
  MAX_DEPTH,
  tooDeep,
  type Mistake,
  type Node,
  type NodeEntry,
  type Parsed,
} from './node.ts'
import { scanYaml } from './scan-yaml.ts'

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
