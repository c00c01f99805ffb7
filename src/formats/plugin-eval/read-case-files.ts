import { basename, join } from 'node:path'
import {
  TOP,
  documentAt,
  errorAt,
  errorAtKey,
  errorIn,
  fieldAt,
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

/** The files of a case as one document. */
export interface CaseDocument {
  /** In the shape of `case.yaml`. Its places name the file that each value is written in. */
  readonly merged: ReadDocument
  readonly yaml: ReadDocument | null
  readonly front: ReadDocument | null
  /** Whether any of its files says anything. */
  readonly isDefined: boolean
  readonly issues: readonly Issue[]
}

/** A part of a case: where it belongs, and what is written there. */
interface Part {
  readonly at: FieldPath
  readonly document: ReadDocument
}

interface ReadParts {
  readonly parts: readonly Part[]
  readonly issues: readonly Issue[]
}

interface ReadFile {
  readonly document: ReadDocument | null
  readonly issues: readonly Issue[]
}

/** Graders of a case, and bytes of one of its files; Claude Code refuses more. */
const MAX_GRADER_FILES = 256
const MAX_BYTES = 1_048_576

/**
 * Reads the files of a case and merges them as Claude Code does: `prompt.md` wins, its graders come after those of
 * `case.yaml`. Never throws: what is wrong with them is among the issues.
 */
export async function readCaseFiles(caseDir: string, fs: TrackedFs): Promise<CaseDocument> {
  const promptFile = join(caseDir, 'prompt.md')
  if (fs.look(caseDir)?.isSymbolicLink() === true) {
    const message = 'the folder of the case is a symbolic link, which is not followed; put the case itself here'
    const issues = [errorIn(caseDir, 'not-a-folder', message)]
    return { merged: textDocument(caseDir, '', null), yaml: null, front: null, isDefined: true, issues }
  }
  const yaml = await readYaml(join(caseDir, 'case.yaml'), fs)
  const defaults = { schema_version: '1.1', name: basename(caseDir) }
  const base = yaml.document ?? textDocument(promptFile, '', defaults)
  const prompt = await readPrompt(promptFile, base, fs)
  const listed = valueAt(base.value, 'graders')
  const graders = await readGraders(join(caseDir, 'graders'), Array.isArray(listed) ? listed.length : 0, fs)
  const parts = [...prompt.parts, ...graders.parts]
  return {
    merged: mergeParts([{ at: [], document: base }, ...parts]),
    yaml: yaml.document,
    front: prompt.document,
    isDefined: yaml.document !== null || parts.length > 0,
    issues: [...yaml.issues, ...prompt.issues, ...graders.issues],
  }
}

function mergeParts(parts: readonly Part[]): ReadDocument {
  const placeOf = (path: FieldPath, part: 'keyPositionOf' | 'positionOf'): Position => {
    const owner = parts.findLast(({ at }) => at.every((step, index) => step === path[index]))
    if (owner === undefined) return TOP
    const { at, document } = owner
    const inner = path.slice(at.length)
    // An issue that is placed here gets the file and the field as well.
    const place = { file: document.file, field: fieldAt(document, inner), ...document[part](inner) }
    return place
  }
  return {
    file: parts[0]?.document.file ?? '',
    path: [],
    value: parts.reduce<unknown>((value, { at, document }) => withValue(value, at, document.value), {}),
    issues: [],
    positionOf: (path) => placeOf(path, 'positionOf'),
    keyPositionOf: (path) => placeOf(path, 'keyPositionOf'),
  }
}

function withValue(whole: unknown, [step, ...rest]: FieldPath, value: unknown): unknown {
  if (step === undefined) return value
  const inner = withValue(valueAt(whole, step), rest, value)
  if (typeof step === 'number')
    return Object.assign([...(Array.isArray(whole) ? (whole as unknown[]) : [])], { [step]: inner })
  return { ...(isJsonObject(whole) ? whole : {}), [step]: inner }
}

async function readYaml(file: string, fs: TrackedFs): Promise<ReadFile> {
  if (fs.look(file) === null) return { document: null, issues: [] }
  const { text, issue } = await fs.readText(file, MAX_BYTES)
  if (issue !== null) return { document: null, issues: [issue] }
  const document = readDocument(text, { kind: 'yaml', file, what: 'case' })
  // An empty file is as good as none: `prompt.md` may define the case.
  const isEmpty = document.issues.some(({ code }) => code === 'empty-file') || document.value === null
  if (isEmpty) return { document: null, issues: [] }
  return { document, issues: [...document.issues, ...wrongShape(document)] }
}

async function readPrompt(file: string, base: ReadDocument, fs: TrackedFs): Promise<ReadFile & ReadParts> {
  if (fs.look(file) === null) return { document: null, parts: [], issues: [] }
  const { text, issue } = await fs.readText(file, MAX_BYTES)
  if (issue !== null) return { document: null, parts: [], issues: [issue] }
  const { document, body, bodyLine, issues } = readFront(text, file)
  const parts: Part[] = []
  const unknown: Issue[] = []
  for (const name of document === null || !isJsonObject(document.value) ? [] : Object.keys(document.value)) {
    if (document === null) break
    const part = documentAt(document, [name])
    if (CASE_FIELDS.includes(name)) parts.push({ at: [name], document: part })
    else if (EXECUTION_FIELDS.includes(name)) parts.push(...partsOfExecution(name, part, base))
    else {
      const message = `unknown field. prompt.md takes ${[...CASE_FIELDS, ...EXECUTION_FIELDS].join(', ')}`
      unknown.push(errorAtKey(document, [name], 'unknown-field', message))
    }
  }
  const prompt = body.trim()
  if (prompt !== '')
    parts.push({ at: ['execution', 'prompt'], document: textDocument(file, 'prompt', prompt, bodyLine) })
  return { document, parts, issues: [...issues, ...unknown] }
}

// Tools that both files keep from the agent are kept from it.
function partsOfExecution(name: string, document: ReadDocument, base: ReadDocument): readonly Part[] {
  const before = valueAt(valueAt(base.value, 'execution'), name)
  const at = ['execution', name]
  if (name !== 'disallowed_tools' || !Array.isArray(before) || !Array.isArray(document.value)) return [{ at, document }]
  return document.value.map((_, index) => ({
    at: [...at, before.length + index],
    document: documentAt(document, [index]),
  }))
}

async function readGraders(folder: string, first: number, fs: TrackedFs): Promise<ReadParts> {
  const found = fs.look(folder)
  if (found !== null && !found.isDirectory()) {
    const message = found.isSymbolicLink() ? 'is a symbolic link, which is not followed' : 'is a file, not a folder'
    return { parts: [], issues: [errorIn(folder, 'not-a-folder', message)] }
  }
  const entries = await fs.list(folder)
  const files = entries.filter((entry) => entry.name.endsWith('.md') && !entry.isDirectory())
  if (files.length > MAX_GRADER_FILES) {
    const message = `there are ${files.length} graders; at most ${MAX_GRADER_FILES} are read`
    return { parts: [], issues: [errorIn(folder, 'too-many-files', message)] }
  }
  const read = await Promise.all(files.map(({ name }) => readGrader(join(folder, name), fs)))
  const graders = read.filter(({ parts }) => parts.length > 0)
  return {
    parts: graders.flatMap(({ parts }, index) =>
      parts.map(({ at, document }) => ({ at: ['graders', first + index, ...at], document })),
    ),
    issues: read.flatMap(({ issues }) => issues),
  }
}

async function readGrader(file: string, fs: TrackedFs): Promise<ReadParts> {
  const { text, issue } = await fs.readText(file, MAX_BYTES)
  if (issue !== null) return { parts: [], issues: [issue] }
  const { document: front, body, bodyLine, issues } = readFront(text, file)
  if (issues.length > 0) return { parts: [], issues }
  if (front === null) {
    const message = 'has no front matter, so it is no grader and has no effect'
    return { parts: [], issues: [{ ...warningIn(file, 'no-effect', message), noEffect: true }] }
  }
  const fields: Readonly<Record<string, unknown>> = isJsonObject(front.value) ? front.value : {}
  const type = String(fields['type'])
  const own = { at: [], document: { ...front, value: { name: basename(file, '.md'), ...fields } } }
  const content = body.trim()
  const field = BODY_FIELDS[type]
  if (content !== '' && field !== undefined && fields[field] === undefined)
    return { parts: [own, { at: [field], document: textDocument(file, field, content, bodyLine) }], issues: [] }
  const message = 'the text below the front matter is not part of this grader'
  const isUnused = content !== '' && GRADER_TYPES.includes(type)
  return { parts: [own], issues: isUnused ? [{ ...noEffectAt(front, [], message), line: bodyLine, column: 1 }] : [] }
}

const BODY_FIELDS: Readonly<Record<string, string | undefined>> = {
  llm: 'criteria',
  baseline: 'criteria',
  regex: 'pattern',
}

/** A value without places of its own. */
function textDocument(file: string, field: string, value: unknown, line: number = 1): ReadDocument {
  const position = (): Position => ({ line, column: 1 })
  const path = field === '' ? [] : [field]
  return { file, path, value, issues: [], positionOf: position, keyPositionOf: position }
}

// Empty front matter is front matter without fields, as for Claude Code.
function readFront(text: string, file: string): ReturnType<typeof readFrontMatter> {
  const read = readFrontMatter(text, file)
  const issues = read.issues.filter(({ code }) => code !== 'empty-file')
  const { document } = read
  return { ...read, issues: [...issues, ...(document === null ? [] : wrongShape(document))] }
}

function wrongShape(document: ReadDocument): readonly Issue[] {
  if (document.value === undefined || isJsonObject(document.value)) return []
  return [errorAt(document, [], 'wrong-type', 'expected fields with their values')]
}
