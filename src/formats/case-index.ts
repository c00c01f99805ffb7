import { basename, dirname, extname, sep } from 'node:path'
import { valueAt, type ReadDocument } from '../lib/documents/document.ts'
import { isTooDeep } from '../lib/documents/parse-json.ts'
import { readDocument, readFrontMatter } from '../lib/documents/read-document.ts'
import { readJsonLines } from '../lib/documents/read-json.ts'
import { tryReadText } from '../lib/files.ts'
import { tryParseJson } from '../lib/json.ts'
import { groupBy } from '../lib/lists.ts'
import { looksLikeAamCase } from './aam/aam-schema.ts'
import { evalsDirOf } from './golden/golden-test.ts'
import { kindOf } from './kinds.ts'
import { toPathSegment } from './paths.ts'
import { CASE_FILES } from './plugin-eval/find-cases.ts'
import { NOTHING_SETTLED, ROLES, roleOf, type Role } from './skill-evals/vocabulary.ts'
import type { CasePart, Suite } from './suite.ts'

/** Files by the ids and prompts of their cases. */
export type CaseIndex = ReadonlyMap<string, readonly string[]>

/** What a case is known by in an index. */
type IndexedCase = CasePart<'id' | 'prompt'>

/** Whether a suite file has a case of the same id, or the same query where that is the id. */
export function hasCase(file: string, evalCase: IndexedCase): boolean {
  const kind = isQuery(evalCase) ? 'prompt' : 'id'
  const name = nameOf(evalCase)
  return readNames(readSuiteValue(file), file).some(([of, value]) => value === name && of === kind)
}

function nameOf(evalCase: IndexedCase): string {
  return isQuery(evalCase) ? evalCase.prompt : kindOf(evalCase).ownName(evalCase)
}

// The id of a query without one is a hash of it.
function isQuery({ id }: Pick<IndexedCase, 'id'>): boolean {
  return id.startsWith('t-')
}

/** Indexes the content of suite files. */
export function indexCases(files: Iterable<readonly [file: string, content: unknown]>): CaseIndex {
  const index = new Map<string, string[]>()
  for (const [file, content] of files)
    for (const name of new Set(readNames(content, file).map(([, value]) => value))) {
      const earlier = index.get(name)
      if (earlier === undefined) index.set(name, [file])
      else earlier.push(file)
    }
  return index
}

function findSiblings(
  { file, packageRoot, cases }: Pick<Suite, 'cases' | 'file' | 'packageRoot'>,
  index: CaseIndex,
): readonly string[] {
  // Ids such as 1 are in every file of a large repository.
  const keys = new Map<string, string>()
  const keyOf = (one: string): string => {
    const isInside = isInPackage(one, packageRoot)
    const key = keys.get(one) ?? JSON.stringify([isInside, groupOf(one, isInside)])
    keys.set(one, key)
    return key
  }
  const found = cases.flatMap((evalCase) => {
    const others = (index.get(nameOf(evalCase)) ?? []).filter((one) => one !== file)
    return [...groupBy(others, keyOf).values()].flatMap(([first]) => first ?? [])
  })
  return [...new Set(found)]
}

// Cases with a file to themselves look for scenarios in one folder of their package, and in no other one.
function groupOf(file: string, isInside: boolean): string {
  const isOwnFile = evalsDirOf(file) !== null || basename(dirname(file)) === 'cases'
  if (!isOwnFile && !CASE_FILES.has(basename(file))) return ''
  const folder = isOwnFile ? dirname(file) : dirname(dirname(file))
  return isInside ? folder : folder.slice(folder.lastIndexOf('/evals'))
}

/** A suite with the others of its package, and of other packages, that have a case of the same name. */
export function withSiblings(suite: Suite, index: CaseIndex): Suite {
  const siblings = findSiblings(suite, index)
  return siblings.length === 0 ? suite : { ...suite, siblings }
}

/** Whether a suite file is below a package. */
export function isInPackage(file: string, packageRoot: string): boolean {
  return file.startsWith(`${packageRoot}${sep}`)
}

type Named = readonly [of: 'id' | 'prompt', value: string]

// A case of `claude plugin eval` is known by its folder, and one of the Agent Artifact Manifest is a file with a name.
function readNames(content: unknown, file: string): readonly Named[] {
  if (CASE_FILES.has(basename(file))) return [['id', toPathSegment(basename(dirname(file)))]]
  const testId = evalsDirOf(file) === null ? undefined : valueAt(content, 'test_id')
  if (typeof testId === 'string') return [['id', testId]]
  return looksLikeAamCase(content) ? [['id', String(valueAt(content, 'name'))]] : readFields(content)
}

/** The values of all fields for ids and prompts, however deep. Texts in a list outside of entries are prompts. */
function readFields(content: unknown, hasPrompts = true): readonly Named[] {
  if (typeof content !== 'object' || content === null) return []
  if (Array.isArray(content))
    return content.flatMap((one: unknown): readonly Named[] => {
      if (typeof one !== 'string') return readFields(one)
      return hasPrompts ? [['prompt', one]] : []
    })
  const isEntry = Object.entries(content).some(
    ([field, value]: readonly [string, unknown]) => typeof value === 'string' && namedBy(field) === 'prompt',
  )
  return Object.entries(content).flatMap(([field, value]: readonly [string, unknown]): readonly Named[] => {
    if (typeof value !== 'string' && typeof value !== 'number') return readFields(value, !isEntry)
    const of = namedBy(field)
    return of === null ? [] : [[of, String(value)]]
  })
}

function namedBy(field: string): Named[0] | null {
  const name = roleOf(field, 'entry', NOTHING_SETTLED)
  const role: Role | null = name === null ? null : ROLES[name]
  if (role?.as === 'ask') return 'prompt'
  return role?.as === 'label' && (role.of === 'id' || role.isId === true) ? 'id' : null
}

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
