import { extname } from 'node:path'
import { readDocument } from '../documents/read-document.ts'
import { readFrontMatter } from '../documents/front-matter.ts'
import { readJsonLines } from '../documents/read-json-lines.ts'
import { tryReadText } from '../files.ts'
import { isTooDeep } from '../documents/node.ts'
import { tryParseJson } from '../json.ts'
import type { ReadDocument } from '../documents/document.ts'

/** Reads the text of a suite of a skill in the notation that its name says. */
export function readSuiteDocument(text: string, file: string): ReadDocument {
  const options = { file, what: 'eval' }
  const ending = extname(file)
  if (ending === '.jsonl') return readJsonLines(text, options)
  return readDocument(text, { kind: ending === '.json' ? 'json' : 'yaml', ...options })
}

/** The value of such a text; `undefined` where it cannot be read. */
export function parseSuite(text: string, file: string): unknown {
  // Most files are plain JSON, which is read in no time; only the others need the patient reader.
  const value = file.endsWith('.json') ? tryParseJson(text) : undefined
  return value === undefined || isTooDeep(value) ? readSuiteDocument(text, file).value : value
}

/** The value of a suite file, or of the front matter of a document; `undefined` where it cannot be read. */
export function readSuiteValue(file: string): unknown {
  const text = tryReadText(file)
  if (text === null) return undefined
  return extname(file) === '.md' ? readFrontMatter(text, file).document?.value : parseSuite(text, file)
}
