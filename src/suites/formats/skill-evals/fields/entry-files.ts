import { isJsonObject } from '../../../../json.ts'
import {
  errorAt,
  fieldAt,
  noEffectAt,
  valueAt,
  type FieldPath,
  type ReadDocument,
} from '../../../../documents/document.ts'
import { checkRelativePath, normalizeRelativePath } from '../../../../documents/relative-path.ts'
import { PROMPT_FIELDS } from './skill-fields.ts'
import { hasEnding, heldUse, isNamed, isPath, isScript, useOf, type FileUse } from './file-fields.ts'
import { UNKNOWN } from './unknown-field.ts'
import type { Issue, Position } from '../../../../documents/issue.ts'
import type { FixtureFile, WorkspaceFile } from '../../../suite.ts'

/** The files of an entry under other names than `files`, and the entry without them. */
export interface EntryFiles {
  readonly document: ReadDocument
  readonly files: readonly FixtureFile[]
  readonly workspaceFiles: readonly WorkspaceFile[]
  /** Errors are of the entry alone. */
  readonly issues: readonly Issue[]
}

/** Reads the files that an entry brings; what of these fields names no file stays in the entry. */
export function readEntryFiles(document: ReadDocument): EntryFiles {
  const { value } = document
  const none = { document, files: [], workspaceFiles: [], issues: [] }
  if (!isJsonObject(value)) return none
  const hasPrompt = PROMPT_FIELDS.some((field) => typeof valueAt(value, field) === 'string')
  const read = Object.keys(value).flatMap((key) => {
    const use = useOf(key)
    const own: unknown = valueAt(value, key)
    // The usual shapes of this field are checked by the schema of an entry.
    if (use === null || (key === 'files' && isUsual(own))) return []
    const place = { use, path: [key], document }
    const parts = use === 'place' && isScript(key, own) ? [script(place)] : readPart(place)
    if (parts !== null) return [{ key, parts }]
    // Beside a prompt it is no misspelt one.
    return use === 'possible' && hasPrompt ? [{ key, parts: [unread([key], place)] }] : []
  })
  if (read.length === 0) return none
  const parts = read.flatMap((one) => one.parts)
  const keys = new Set(read.map(({ key }) => key))
  return {
    document: { ...document, value: Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key))) },
    files: parts.flatMap(({ file }) => file ?? []),
    workspaceFiles: parts.flatMap(({ created }) => created ?? []),
    issues: parts.flatMap(({ issue }) => issue ?? []),
  }
}

function isUsual(value: unknown): boolean {
  if (Array.isArray(value))
    return value.every((one) => typeof one !== 'object' || one === null || isWithContent(one as object))
  return typeof value !== 'string' && (typeof value !== 'object' || !isHolder(value))
}

function isWithContent(value: object): boolean {
  return Object.keys(value).toSorted().join(' ') === 'content path'
}

function script({ document, path }: Place): Part {
  return { issue: noEffectAt(document, path, 'has no effect: a run executes no script of a suite') }
}

interface Part {
  readonly file?: FixtureFile
  readonly created?: WorkspaceFile
  readonly issue?: Issue
}

interface Place {
  readonly use: FileUse
  readonly path: FieldPath
  readonly document: ReadDocument
}

// `null`: nothing of it is a file.
function readPart(place: Place): readonly Part[] | null {
  const value = place.path.reduce<unknown>(valueAt, place.document.value)
  if (value === null || (Array.isArray(value) && value.length === 0)) return []
  if (typeof value === 'string') return isNamed(value, place.use) ? [named(value, value, place)] : null
  if (typeof value !== 'object' || place.path.length > MAX_DEPTH) return null
  if (Array.isArray(value))
    return readAll(
      value.map((_, index) => index),
      place,
    )
  return readObject(value as Fields, place) ?? readMap(value as Fields, place) ?? readHeld(value as Fields, place)
}

const MAX_DEPTH = 3

type Fields = Readonly<Record<string, unknown>>

// Of several parts those that are none are named, as long as one is.
function readAll(keys: readonly (number | string)[], place: Place): readonly Part[] | null {
  const read = keys.map((key) => ({ key, parts: readPart({ ...place, path: [...place.path, key] }) }))
  if (read.every(({ parts }) => parts === null)) return null
  return read.flatMap(({ key, parts }) => parts ?? [unread([...place.path, key], place)])
}

/** A file with its content, or the path of one. */
function readObject(value: Fields, place: Place): readonly Part[] | null {
  const source = textIn(value, FROM_FIELDS)
  const path = textIn(value, PATH_FIELDS)
  const content = textIn(value, [...CONTENT_FIELDS, endingOf(path?.text ?? '')])
  const to = content === undefined && source !== undefined ? textIn(value, TO_FIELDS) : path
  if (content !== undefined) {
    if (to === undefined || (to.field === 'name' && !hasEnding(to.text))) return null
    const made = create(to.text, content.text, place, [...place.path, to.field])
    return [made, ...unreadBeside(value, [to.field, content.field], place)]
  }
  const from = source ?? to
  if (from === undefined || !isNamed(from.text, place.use)) return null
  const made = named(from.text, to?.text ?? from.text, { ...place, path: [...place.path, from.field] })
  return [made, ...unreadBeside(value, [from.field, to?.field], place)]
}

function unreadBeside(value: Fields, read: readonly (string | undefined)[], place: Place): readonly Part[] {
  const others = Object.keys(value).filter((key) => !read.includes(key) && !key.startsWith('_'))
  return others.map((key) => unread([...place.path, key], place))
}

const PATH_FIELDS: readonly string[] = ['path', 'file', 'filename', 'file_path', 'dir', 'folder', 'name']
const TO_FIELDS: readonly string[] = ['to', 'dest', 'destination', 'target', ...PATH_FIELDS]
const FROM_FIELDS: readonly string[] = ['source', 'src', 'from', 'fixture', 'source_path']
// A text under another name is part of a message more often than of a file.
const CONTENT_FIELDS: readonly string[] = ['content', 'contents']

function textIn(
  value: Fields,
  names: readonly string[],
): { readonly field: string; readonly text: string } | undefined {
  const field = names.find((name) => typeof valueAt(value, name) === 'string')
  return field === undefined ? undefined : { field, text: String(valueAt(value, field)) }
}

/** Contents by their paths, or the path of each. */
function readMap(value: Fields, place: Place): readonly Part[] | null {
  const entries = Object.entries(value)
  if (entries.length === 0 || !entries.every(([key, one]) => typeof one === 'string' && hasEnding(key))) return null
  return entries.map(([to, one]) => {
    const path = [...place.path, to]
    const text = String(one)
    return isCopyOf(text, to) ? named(text, to, { ...place, path }) : create(to, text, place, path)
  })
}

// `"app.py": "fixtures/app.py"`, and not `".gitignore": "dist/"`.
function isCopyOf(text: string, to: string): boolean {
  const ending = endingOf(to)
  return ending !== '' && isPath(text) && text.includes('/') && text.endsWith(`.${ending}`)
}

// Also a field that may hold the content of such a file: `{ "filename": "rows.csv", "csv": "a,b" }`.
function endingOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1] ?? ''
}

/** An object that holds such fields: `setup: { files: [...] }`. */
function readHeld(value: Fields, place: Place): readonly Part[] | null {
  const read = Object.keys(value).map((key) => {
    const path = [...place.path, key]
    const use = heldUse(key)
    return { path, parts: use === null || place.path.length > 1 ? null : readPart({ ...place, use, path }) }
  })
  if (read.every(({ parts }) => parts === null)) return null
  return read.flatMap(({ path, parts }) => parts ?? [unread(path, place)])
}

function isHolder(value: object | null): boolean {
  return value !== null && Object.keys(value).some((key) => heldUse(key) !== null || TO_FIELDS.includes(key))
}

function unread(path: FieldPath, { document }: Place): Part {
  return { issue: noEffectAt(document, path, UNKNOWN) }
}

function named(from: string, to: string, { use, path, document }: Place): Part {
  const problem = checkRelativePath(from) ?? checkRelativePath(to)
  // A label of a workspace may be anything.
  if (problem !== null && use !== 'input')
    return { issue: noEffectAt(document, path, `has no effect: the path ${problem}`) }
  if (problem !== null) return { issue: unsafe(document, path, problem) }
  const isOptional = use !== 'input' || /\s/.test(from)
  return {
    file: {
      from: normalizeRelativePath(from),
      to: normalizeRelativePath(to),
      ...whereIs(document, path),
      ...(isOptional ? { isOptional } : {}),
      ...(use === 'place' ? { isPlace: true } : {}),
    },
  }
}

function create(to: string, content: string, { document }: Place, path: FieldPath): Part {
  const problem = checkRelativePath(to)
  if (problem !== null) return { issue: unsafe(document, path, problem) }
  return { created: { to: normalizeRelativePath(to), from: null, content, ...whereIs(document, path) } }
}

function unsafe(document: ReadDocument, path: FieldPath, problem: string): Issue {
  return { ...errorAt(document, path, 'unsafe-path', `the path ${problem}`), skips: true }
}

/** Where a file is named, for its errors. */
export function whereIs(document: ReadDocument, path: FieldPath): { readonly at: Position; readonly field: string } {
  return { at: document.positionOf(path), field: fieldAt(document, path) }
}
