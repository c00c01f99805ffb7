import { encode } from '@jridgewell/sourcemap-codec'
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

/** Maps each generated line to a position of one file, or to nothing for `null`. */
export function createLineMap(file: string, text: string, lines: readonly (Position | null)[]): LineMap {
  const mappings = encode(lines.map((at) => (at === null ? [] : [[0, 0, at.line - 1, at.column - 1]])))
  return { version: 3, file, sources: [file], sourcesContent: [text], names: [], mappings }
}
