import { CST, Lexer } from 'yaml'
import { MAX_DEPTH, MAX_SCALARS, tooDeep, tooMany, type Mistake } from './node.ts'

/** Commas, dashes, colons and brackets: a text of nothing else is as slow to parse as one of values. */
const MAX_TOKENS = 80_000

// Composing is where a hostile text costs seconds, so what must be refused is refused here, in one linear pass.
export function scanYaml(text: string): Mistake | null {
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

    if (isScalar(type)) scalars += 1
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

function isScalar(type: LexemeType): boolean {
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
