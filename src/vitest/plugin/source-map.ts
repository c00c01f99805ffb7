import type { Position } from '../../documents/issue.ts'

/** A source map, version 3. */
export interface LineMap {
  readonly version: 3
  readonly file: string
  readonly sources: string[]
  readonly sourcesContent: string[]
  readonly names: string[]
  readonly mappings: string
}

/** Maps generated lines to positions of one file: each line as a whole, `null` to nothing. */
export function createLineMap(file: string, text: string, lines: readonly (Position | null)[]): LineMap {
  let line = 0
  let column = 0
  const mappings = lines.map((position) => {
    if (position === null) return ''
    const segment = [0, 0, position.line - 1 - line, position.column - 1 - column].map(encode).join('')
    line = position.line - 1
    column = position.column - 1
    return segment
  })
  return { version: 3, file, sources: [file], sourcesContent: [text], names: [], mappings: mappings.join(';') }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

// Base 64 VLQ: five bits a digit, the lowest bit of the value is its sign.
function encode(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    text += DIGITS[rest > 0 ? digit | 32 : digit]
  } while (rest > 0)
  return text
}
