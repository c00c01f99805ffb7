import type { Position } from './issue.ts'
import type { FieldPath, ReadDocument } from './document.ts'
import { MAX_DOCUMENT_BYTES, readJson, type SourceOptions } from './read-json.ts'

const MAX_ISSUES = 20

// Blank, or a comment: no JSON value begins so.
const IS_NO_VALUE = /^\s*(?:$|#|\/\/)/

/** Reads a text with a JSON value on each line as a list of these values; positions are those in the text. */
export function readJsonLines(source: string, options: SourceOptions): ReadDocument {
  if (source.length > MAX_DOCUMENT_BYTES || source.trim() === '') return readJson(source, options)
  const lines = source.split('\n').flatMap((line, index): readonly ReadDocument[] => {
    return IS_NO_VALUE.test(line) ? [] : [readJson(line, { ...options, firstLine: index + 1 })]
  })
  const issues = lines.flatMap((line) => line.issues).slice(0, MAX_ISSUES)
  const at =
    (part: 'keyPositionOf' | 'positionOf') =>
    ([index, ...inner]: FieldPath): Position =>
      lines[Number(index ?? 0)]?.[part](inner) ?? { line: 1, column: 1 }
  return {
    file: options.file,
    path: [],
    value: issues.length === 0 ? lines.map(({ value }) => value) : undefined,
    issues,
    positionOf: at('positionOf'),
    keyPositionOf: at('keyPositionOf'),
  }
}
