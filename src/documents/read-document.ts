import type { ReadDocument } from './document.ts'
import { parseYaml } from './parse-yaml.ts'
import { readJson, readSource, type SourceOptions } from './read-json.ts'

export interface ReadDocumentOptions extends SourceOptions {
  readonly kind: 'json' | 'yaml'
}

/** Reads an untrusted text in one of the two notations. Never throws: everything wrong with it is in `issues`. */
export function readDocument(source: string, { kind, ...options }: ReadDocumentOptions): ReadDocument {
  return kind === 'json' ? readJson(source, options) : readSource(source, parseYaml, options)
}
