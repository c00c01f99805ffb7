import { basename, join } from 'node:path'
import { errorAt, noEffectAt, type ReadDocument } from '../../../documents/document.ts'
import { readFrontMatter } from '../../../documents/front-matter.ts'
import { readDocument } from '../../../documents/read-document.ts'
import { isJsonObject } from '../../../json.ts'
import { CASE_FIELDS, EXECUTION_FIELDS, GRADER_TYPES } from './schema.ts'
import type { TrackedFs } from '../../../documents/tracked-fs.ts'
import type { Issue } from '../../../documents/issue.ts'

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
export interface ReadPrompt {
  readonly file: string
  readonly front: ReadDocument | null
  /** Without the white space around it. */
  readonly body: string
  readonly bodyLine: number
}

/** A file of `graders/`. */
export interface ReadGrader {
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
    return { caseDir, yaml: null, prompt: null, graders: [], issues: [topIssue(caseDir, 'not-a-folder', message)] }
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
      const position = document?.keyPositionOf([key]) ?? { line: 1, column: 1 }
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
    return { graders: [], issues: [topIssue(folder, 'not-a-folder', message)] }
  }
  const entries = await fs.list(folder)
  const files = entries.filter((entry) => entry.name.endsWith('.md') && !entry.isDirectory())
  if (files.length > MAX_GRADER_FILES) {
    const message = `there are ${files.length} graders; at most ${MAX_GRADER_FILES} are read`
    return { graders: [], issues: [topIssue(folder, 'too-many-files', message)] }
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
    return { grader: null, issues: [{ ...topIssue(file, 'no-effect', message), severity: 'warning', noEffect: true }] }
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

function topIssue(file: string, code: string, message: string): Issue {
  return { code, severity: 'error', file, field: '', message, line: 1, column: 1 }
}
