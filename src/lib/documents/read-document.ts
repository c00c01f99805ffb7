import { errorIn, type Issue, type ReadDocument } from './document.ts'
import { parseYaml } from './parse-yaml.ts'
import { readJson, parseText, type TextOptions } from './read-json.ts'

export interface ReadDocumentOptions extends TextOptions {
  readonly kind: 'json' | 'yaml'
  /** Whether another program says what this YAML means: see {@link parseYaml}. */
  readonly isForeign?: boolean
}

/** Reads an untrusted text in one of the two notations. Never throws: everything wrong with it is in `issues`. */
export function readDocument(raw: string, { kind, isForeign, ...options }: ReadDocumentOptions): ReadDocument {
  return kind === 'json' ? readJson(raw, options) : parseText(raw, (text) => parseYaml(text, isForeign), options)
}

/** A Markdown file taken apart. */
export interface FrontMatter {
  /** `null` when the file does not start with a `---` line. Its positions are those of the whole file. */
  readonly document: ReadDocument | null
  /** What follows the front matter, unchanged. */
  readonly body: string
  /** Line of the file on which `body` starts. */
  readonly bodyLine: number
  readonly issues: readonly Issue[]
}

/** Splits a Markdown text into its YAML front matter and what follows. */
export function readFrontMatter(source: string, file: string): FrontMatter {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  const opening = OPENING.exec(text)?.[0]
  if (opening === undefined) return { document: null, body: text, bodyLine: 1, issues: [] }

  const rest = text.slice(opening.length)
  const closing = CLOSING.exec(rest)
  if (closing === null) {
    const message = 'the front matter is not closed; end it with a line of three dashes'
    return { document: null, body: '', bodyLine: 1, issues: [errorIn(file, 'front-matter', message)] }
  }

  const yaml = rest.slice(0, closing.index)
  const document = readDocument(yaml, { kind: 'yaml', file, what: 'field', firstLine: 2 })
  const body = rest.slice(closing.index + closing[0].length)
  const bodyLine = 2 + yaml.split('\n').length - 1 + 1
  return { document, body, bodyLine, issues: document.issues }
}

const OPENING = /^---[ \t]*\r?\n/
const CLOSING = /^---[ \t]*(?:\r?\n|$)/m
