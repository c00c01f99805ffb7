import { basename, join } from 'node:path'
import {
  TOP,
  errorAt,
  errorIn,
  noEffectAt,
  valueAt,
  warningIn,
  type FieldPath,
  type Issue,
  type Position,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { readDocument, readFrontMatter } from '../../lib/documents/read-document.ts'
import type { TrackedFs } from '../../lib/documents/read-text.ts'
import { isJsonObject } from '../../lib/json.ts'
import { CASE_FIELDS, EXECUTION_FIELDS, GRADER_TYPES } from './schema.ts'

/** The files that define a case, each read on its own. */
export interface CaseFiles {
  readonly caseDir: string
  /** `case.yaml`; `null` where there is none or it is empty. */
  readonly yaml: ReadDocument | null
  readonly prompt: ReadPrompt | null
  readonly graders: readonly ReadGrader[]
  readonly issues: readonly Issue[]
}

/** `prompt.md`. */
interface ReadPrompt {
  readonly file: string
  readonly front: ReadDocument | null
  /** Without the white space around it. */
  readonly body: string
  readonly bodyLine: number
}

/** A file of `graders/`. */
interface ReadGrader {
  readonly file: string
  readonly front: ReadDocument
  /** Its front matter, with its name and body where it does not have them itself. */
  readonly value: Readonly<Record<string, unknown>>
  /** The field that its body is. */
  readonly bodyField: string
  readonly bodyLine: number
}

/** Graders of a case, and bytes of one of its files; Claude Code refuses more. */
const MAX_GRADER_FILES = 256
const MAX_BYTES = 1_048_576

/** Reads the files of a case. Never throws: what is wrong with them is among the issues. */
export async function readCaseFiles(caseDir: string, fs: TrackedFs): Promise<CaseFiles> {
  if (fs.look(caseDir)?.isSymbolicLink() === true) {
    const message = 'the folder of the case is a symbolic link, which is not followed; put the case itself here'
    return { caseDir, yaml: null, prompt: null, graders: [], issues: [errorIn(caseDir, 'not-a-folder', message)] }
  }
  const [yaml, prompt, graders] = await Promise.all([
    readYaml(join(caseDir, 'case.yaml'), fs),
    readPrompt(join(caseDir, 'prompt.md'), fs),
    readGraders(join(caseDir, 'graders'), fs),
  ])
  return {
    caseDir,
    yaml: yaml.document,
    prompt: prompt.prompt,
    graders: graders.graders,
    issues: [...yaml.issues, ...prompt.issues, ...graders.issues],
  }
}

async function readYaml(
  file: string,
  fs: TrackedFs,
): Promise<{ readonly document: ReadDocument | null; readonly issues: readonly Issue[] }> {
  if (fs.look(file) === null) return { document: null, issues: [] }
  const { text, issue } = await fs.readText(file, MAX_BYTES)
  if (issue !== null) return { document: null, issues: [issue] }
  const document = readDocument(text, { kind: 'yaml', file, what: 'case' })
  // An empty file is as good as none: `prompt.md` may define the case.
  const isEmpty = document.issues.some(({ code }) => code === 'empty-file') || document.value === null
  if (isEmpty) return { document: null, issues: [] }
  const wrong = document.value === undefined || isJsonObject(document.value) ? [] : [notAnObject(document)]
  return { document, issues: [...document.issues, ...wrong] }
}

function notAnObject(document: ReadDocument): Issue {
  return errorAt(document, [], 'wrong-type', 'expected fields of a case, such as name and execution')
}

async function readPrompt(
  file: string,
  fs: TrackedFs,
): Promise<{ readonly prompt: ReadPrompt | null; readonly issues: readonly Issue[] }> {
  if (fs.look(file) === null) return { prompt: null, issues: [] }
  const { text, issue } = await fs.readText(file, MAX_BYTES)
  if (issue !== null) return { prompt: null, issues: [issue] }
  const { document, body, bodyLine, issues } = readFront(text, file)
  const unknown = Object.keys(isJsonObject(document?.value) ? document.value : {})
    .filter((key) => !CASE_FIELDS.includes(key) && !EXECUTION_FIELDS.includes(key))
    .map((key): Issue => {
      const message = `unknown field. prompt.md takes ${[...CASE_FIELDS, ...EXECUTION_FIELDS].join(', ')}`
      const position = document?.keyPositionOf([key]) ?? TOP
      return { code: 'unknown-field', severity: 'error', file, field: key, message, ...position }
    })
  return { prompt: { file, front: document, body: body.trim(), bodyLine }, issues: [...issues, ...unknown] }
}

async function readGraders(
  folder: string,
  fs: TrackedFs,
): Promise<{ readonly graders: readonly ReadGrader[]; readonly issues: readonly Issue[] }> {
  const found = fs.look(folder)
  if (found !== null && !found.isDirectory()) {
    const message = found.isSymbolicLink() ? 'is a symbolic link, which is not followed' : 'is a file, not a folder'
    return { graders: [], issues: [errorIn(folder, 'not-a-folder', message)] }
  }
  const entries = await fs.list(folder)
  const files = entries.filter((entry) => entry.name.endsWith('.md') && !entry.isDirectory())
  if (files.length > MAX_GRADER_FILES) {
    const message = `there are ${files.length} graders; at most ${MAX_GRADER_FILES} are read`
    return { graders: [], issues: [errorIn(folder, 'too-many-files', message)] }
  }
  const read = await Promise.all(files.map(({ name }) => readGrader(join(folder, name), fs)))
  return {
    graders: read.flatMap(({ grader }) => (grader === null ? [] : [grader])),
    issues: read.flatMap(({ issues }) => issues),
  }
}

async function readGrader(
  file: string,
  fs: TrackedFs,
): Promise<{ readonly grader: ReadGrader | null; readonly issues: readonly Issue[] }> {
  const { text, issue } = await fs.readText(file, MAX_BYTES)
  if (issue !== null) return { grader: null, issues: [issue] }
  const { document: front, body, bodyLine, issues } = readFront(text, file)
  if (issues.length > 0) return { grader: null, issues }
  if (front === null) {
    const message = 'has no front matter, so it is no grader and has no effect'
    return { grader: null, issues: [{ ...warningIn(file, 'no-effect', message), noEffect: true }] }
  }
  const fields: Readonly<Record<string, unknown>> = isJsonObject(front.value) ? front.value : {}
  const { type } = fields
  if (typeof type !== 'string') {
    const message = `missing; write what kind of grader it is: ${GRADER_TYPES.join(', ')}`
    return { grader: null, issues: [errorAt(front, ['type'], 'missing-field', message)] }
  }
  const bodyField = BODY_FIELDS[type] ?? ''
  const content = body.trim()
  const isFromBody = bodyField !== '' && fields[bodyField] === undefined && content !== ''
  const isKnown = GRADER_TYPES.includes(type)
  const unused = content !== '' && !isFromBody && isKnown ? [unusedBody(front, bodyLine)] : []
  return {
    grader: {
      file,
      front,
      value: { name: basename(file, '.md'), ...fields, ...(isFromBody ? { [bodyField]: content } : {}) },
      bodyField,
      bodyLine,
    },
    issues: unused,
  }
}

const BODY_FIELDS: Readonly<Record<string, string | undefined>> = {
  llm: 'criteria',
  baseline: 'criteria',
  regex: 'pattern',
}

function unusedBody(front: ReadDocument, line: number): Issue {
  return { ...noEffectAt(front, [], 'the text below the front matter is not part of this grader'), line, column: 1 }
}

// Empty front matter is front matter without fields, as for Claude Code.
function readFront(text: string, file: string): ReturnType<typeof readFrontMatter> {
  const read = readFrontMatter(text, file)
  const issues = read.issues.filter(({ code }) => code !== 'empty-file')
  const { document } = read
  const isWrong = document !== null && document.value !== undefined && !isJsonObject(document.value)
  const wrong = isWrong ? [errorAt(document, [], 'wrong-type', 'expected fields between the lines of dashes')] : []
  return { ...read, issues: [...issues, ...wrong] }
}

/** A case as `case.yaml`, `prompt.md` and `graders/*.md` define it together. */
export interface MergedCase {
  /** In the shape of `case.yaml`. */
  readonly value: Readonly<Record<string, unknown>>
  /** Where the value of a path is written. */
  readonly placeOf: (path: FieldPath) => Place
  /** Where the key of a path is written. */
  readonly keyPlaceOf: (path: FieldPath) => Place
  /** The value of a path; `undefined` when there is none. */
  readonly valueOf: (path: FieldPath) => unknown
}

/** A place in one of the files of a case. */
export interface Place extends Position {
  /** Absolute path. */
  readonly file: string
  /** The field as it is written there. */
  readonly field: string
}

/** Merges the files of a case as Claude Code does: `prompt.md` wins, its graders come after those of `case.yaml`. */
export function mergeCase(files: CaseFiles): MergedCase {
  const { caseDir, yaml, prompt, graders } = files
  const base: Readonly<Record<string, unknown>> = isJsonObject(yaml?.value)
    ? yaml.value
    : { schema_version: '1.1', name: basename(caseDir) }
  const front = isJsonObject(prompt?.front?.value) ? prompt.front.value : {}
  const written = isJsonObject(base['execution']) ? base['execution'] : {}
  const execution = { ...written, ...pick(front, EXECUTION_FIELDS) }
  const disallowed = joined(written['disallowed_tools'], front['disallowed_tools'])
  const listed = Array.isArray(base['graders']) ? (base['graders'] as readonly unknown[]) : []
  const value: Readonly<Record<string, unknown>> = {
    ...base,
    ...pick(front, CASE_FIELDS),
    execution: {
      ...execution,
      ...(disallowed === undefined ? {} : { disallowed_tools: disallowed }),
      ...(prompt === null || prompt.body === '' ? {} : { prompt: prompt.body }),
    },
    ...(graders.length === 0 ? {} : { graders: [...listed, ...graders.map((one) => one.value)] }),
  }
  return {
    value,
    placeOf: (path) => placeOf(path, files, listed.length, 'value'),
    keyPlaceOf: (path) => placeOf(path, files, listed.length, 'key'),
    valueOf: (path) => path.reduce<unknown>(valueAt, value),
  }
}

/** An error at a place of a case's files. */
export function issueAt(place: Place, code: string, message: string): Issue {
  return { code, severity: 'error', message, ...place }
}

function pick(value: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

function joined(first: unknown, second: unknown): unknown {
  if (first === undefined) return second
  if (second === undefined || !Array.isArray(first)) return first
  return Array.isArray(second) ? [...(first as readonly unknown[]), ...(second as readonly unknown[])] : second
}

type Part = 'key' | 'value'

function placeOf(path: FieldPath, { caseDir, yaml, prompt, graders }: CaseFiles, listed: number, part: Part): Place {
  const [first, second] = path
  if (first === 'graders' && typeof second === 'number' && second >= listed) {
    const grader = graders[second - listed]
    if (grader !== undefined) return placeInGrader(grader, path.slice(2), part)
  }
  const front = prompt?.front ?? null
  const inFront = first === 'execution' ? path.slice(1) : path
  const [field = ''] = inFront
  if (front !== null && inFront.length > 0 && valueAt(front.value, field) !== undefined) {
    return placeIn(front, inFront, part)
  }
  if (prompt !== null && prompt.body !== '' && path.join('.') === 'execution.prompt')
    return { file: prompt.file, field: 'prompt', line: prompt.bodyLine, column: 1 }
  if (yaml !== null) return placeIn(yaml, path, part)
  return { file: prompt?.file ?? graders[0]?.file ?? caseDir, field: path.join('.'), line: 1, column: 1 }
}

function placeInGrader({ file, front, bodyField, bodyLine }: ReadGrader, path: FieldPath, part: Part): Place {
  const isBody = path.length > 0 && path[0] === bodyField && valueAt(front.value, bodyField) === undefined
  return isBody ? { file, field: path.join('.'), line: bodyLine, column: 1 } : placeIn(front, path, part)
}

function placeIn(document: ReadDocument, path: FieldPath, part: Part): Place {
  const position = part === 'key' ? document.keyPositionOf(path) : document.positionOf(path)
  return { file: document.file, field: path.join('.'), ...position }
}
