import { errorIn, type FieldPath, type Position, type ReadDocument } from './document.ts'
import { parseJson, toValue, type Mistake, type Node, type Parsed } from './parse-json.ts'

/** Bytes; the largest file that a person writes by hand is far smaller. */
export const MAX_DOCUMENT_BYTES: number = 256 * 1024

export interface TextOptions {
  /** Absolute path, for the issues. */
  readonly file: string
  /** What the file should hold, for the message about an empty one. Default `value`. */
  readonly what?: string
  /** Number of the text's first line, for front matter. Default 1. */
  readonly firstLine?: number
  /** Most characters of a file that a program writes. Default {@link MAX_DOCUMENT_BYTES}. */
  readonly maxLength?: number
}

/** Reads a JSON text as {@link parseText} does. Apart from the reader of YAML, whose library a worker would load too. */
export function readJson(raw: string, options: TextOptions): ReadDocument {
  const { maxLength } = options
  return parseText(raw, (text) => parseJson(text, maxLength === undefined ? undefined : MOST_WRITTEN), options)
}

/** Keys and plain values of a file that a program writes. */
const MOST_WRITTEN = 2_000_000

/** Parses an untrusted text. Never throws, never takes long: everything wrong with it is in `issues`. */
export function parseText(raw: string, parse: (text: string) => Parsed, options: TextOptions): ReadDocument {
  const text = raw.startsWith('\uFEFF') ? raw.slice(1) : raw
  const positionAt = indexLines(text, options.firstLine)
  const refused = refuseText(text, options.maxLength)
  const { node, mistakes } = refused === null ? parse(text) : { node: null, mistakes: [refused] }
  const problems = node === null && mistakes.length === 0 ? [emptyText(options)] : mistakes
  const issues = problems.map(({ code, offset, message }) => errorIn(options.file, code, message, positionAt(offset)))
  const isReadable = node !== null && issues.length === 0
  return {
    file: options.file,
    path: [],
    value: isReadable ? toValue(node) : undefined,
    issues,
    positionOf: (path) => positionAt(node === null ? 0 : findOffset(node, path, 'value')),
    keyPositionOf: (path) => positionAt(node === null ? 0 : findOffset(node, path, 'key')),
  }
}

// Control characters are in neither format; here they are named before a parser stumbles over them.
function refuseText(text: string, maxLength: number = MAX_DOCUMENT_BYTES): Mistake | null {
  if (text.length > maxLength) {
    return { code: 'file-too-large', offset: 0, message: `the file is larger than ${maxLength / 1024} KiB` }
  }

  const offset = text.search(CONTROL_CHARACTER)
  if (offset === -1) return null
  const code = text.charCodeAt(offset)
  const name =
    code === 0 ? 'a NUL character' : `the control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return { code: 'control-character', offset, message: `${name} is not allowed; remove it or escape it` }
}

// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/

function emptyText({ what = 'value' }: TextOptions): Mistake {
  return { code: 'empty-file', offset: 0, message: `no ${what} in the file: it is empty or contains only comments` }
}

function findOffset(root: Node, path: FieldPath, part: 'key' | 'value'): number {
  let node = root
  let keyOffset = root.offset
  for (const step of path) {
    const next = childOf(node, step)
    if (next === null) return keyOffset
    keyOffset = next.keyOffset
    node = next.value
  }

  return part === 'key' ? keyOffset : node.offset
}

function childOf(node: Node, step: PropertyKey): { readonly keyOffset: number; readonly value: Node } | null {
  if (node.kind === 'object') return node.entries.findLast(({ key }) => key === String(step)) ?? null
  if (node.kind === 'scalar') return null
  const item = node.items[Number(step)]
  return item === undefined ? null : { keyOffset: item.offset, value: item }
}

/** Turns an offset in a text into the line and column that an editor shows; `firstLine` is the number of its first line. */
function indexLines(text: string, firstLine = 1): (offset: number) => Position {
  const starts = [0]
  for (let next = text.indexOf('\n'); next !== -1; next = text.indexOf('\n', next + 1)) {
    starts.push(next + 1)
  }

  return (offset) => {
    const line = Math.max(
      0,
      starts.findLastIndex((start) => start <= offset),
    )
    return { line: line + firstLine, column: offset - (starts[line] ?? 0) + 1 }
  }
}
