import { isUtf8 } from 'node:buffer'
import { closeSync, existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readUpTo } from '../../lib/regular-file.ts'
import { openWorkspaceFile } from '../../lib/workspace-file.ts'
import type { ReadRun } from '../read-report.ts'
import { INDEX, imageTypeOf, parseIndex, type KeptFile } from '../results/kept-files.ts'
import { parseTranscript, type PageEvent, type PageFile, type PageRun } from './page-data.ts'

/** Reads what was kept of one run. */
export function readPageRun(run: ReadRun, runsFolders: RunsFolders): PageRun {
  const { folder } = run
  const index = run.index ?? 0
  const evidence = findEvidence(folder, runsFolders)
  const transcript = evidence?.read('transcript.jsonl', MOST_TRANSCRIPT_BYTES) ?? null
  if (evidence === null || transcript === null)
    return { ...NOTHING, index, missing: describeMissing(folder), files: listFiles(run) }

  const parsed = parseTranscript(transcript.bytes.toString())
  const cut: string[] = []
  if (transcript.size > transcript.bytes.length)
    cut.push(`The transcript has ${transcript.size} bytes; the page shows the first ${transcript.bytes.length}.`)
  else if (parsed.unreadable > 0) cut.push(`Lines of the transcript that cannot be read: ${parsed.unreadable}.`)
  if (parsed.events.length > MOST_EVENTS)
    cut.push(`The transcript has ${parsed.events.length} events; the page shows the first ${MOST_EVENTS}.`)
  const events = parsed.events.slice(0, MOST_EVENTS).map(cutEvent)
  if (events.some(({ isCut }) => isCut))
    cut.push(`Texts of more than ${MOST_CHARACTERS} characters are cut; ${folder}/transcript.jsonl has them complete.`)
  return {
    index,
    missing: null,
    prompt: evidence.read('prompt.txt', MOST_TEXT_BYTES)?.bytes.toString() ?? null,
    events: events.map(({ event }) => event),
    times: readTimes(evidence),
    files: readFiles(run, evidence),
    cut,
  }
}

const NOTHING: PageRun = { index: 0, missing: null, prompt: null, events: [], times: {}, files: [], cut: [] }

function describeMissing(folder: string | null): string {
  return folder === null
    ? 'The report names no folder for this run, so there is no transcript.'
    : `The transcript is missing: ${folder} is not there. Vitest keeps the last 20 runs of a project.`
}

function listFiles({ files: { created, modified, deleted } }: ReadRun): readonly PageFile[] {
  const unknown = { before: null, after: null, image: null, note: 'The content is missing with the run folder.' }
  return [
    ...created.map(({ path, size }) => ({ ...unknown, path, size, change: 'created' as const })),
    ...modified.map(({ path, size }) => ({ ...unknown, path, size, change: 'modified' as const })),
    ...deleted.map((path) => ({ ...unknown, path, size: null, change: 'deleted' as const })),
  ]
}

function readFiles(run: ReadRun, evidence: EvidenceFolder): readonly PageFile[] {
  const index = parseIndex(evidence.read(`artifacts/${INDEX}`, MOST_TRANSCRIPT_BYTES)?.bytes.toString() ?? null)
  const read = (path: string, when: KeptFile['when'], mostBytes: number): StoredFile | null => {
    const kept = index.find((file) => file.path === path && file.when === when)
    return kept === undefined ? null : evidence.read(`artifacts/${kept.name}`, mostBytes)
  }
  return listFiles(run).map(({ path, size, change }) =>
    pageFile({
      path,
      size,
      change,
      before: change === 'created' ? null : read(path, 'before', MOST_TEXT_BYTES),
      after: change === 'deleted' ? null : read(path, 'after', MOST_FILE_BYTES),
    }),
  )
}

function readTimes(evidence: EvidenceFolder): PageRun['times'] {
  const stored = evidence.read('timings.json', MOST_TEXT_BYTES)
  try {
    return timesSchema.parse(JSON.parse(stored?.bytes.toString() ?? 'null')).events
  } catch {
    return {}
  }
}

const timesSchema = z.object({ events: z.record(z.string().regex(/^\d+$/), z.number().nonnegative()) })

function cutEvent(event: PageEvent): { readonly event: PageEvent; readonly isCut: boolean } {
  let isCut = false
  const cut = (value: unknown): unknown => {
    if (typeof value === 'string' && value.length > MOST_CHARACTERS) {
      isCut = true
      return `${value.slice(0, MOST_CHARACTERS)}\n[cut: ${value.length - MOST_CHARACTERS} more characters]`
    }
    if (Array.isArray(value)) return value.map(cut)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cut(one)]))
  }
  return { event: cut(event) as PageEvent, isCut }
}

const MOST_TRANSCRIPT_BYTES = 32 * 1024 ** 2
const MOST_FILE_BYTES = 2 * 1024 ** 2
const MOST_TEXT_BYTES = 1024 ** 2
const MOST_CHARACTERS = 200_000
const MOST_EVENTS = 20_000

/** What is known of a changed file. */
interface ChangedFile extends Pick<PageFile, 'change' | 'path' | 'size'> {
  readonly before: StoredFile | null
  readonly after: StoredFile | null
}

/** Prepares a changed file for the page: as a text, as a picture, or as a note on why it is neither. */
export function pageFile({ path, size, change, before, after }: ChangedFile): PageFile {
  const image = after === null ? null : imageOf(path, after)
  const texts = { before: textOf(before), after: textOf(after) }
  return { path, size, change, ...texts, image, note: noteOn({ change, before, after }, image) }
}

function noteOn(
  { change, before, after }: Pick<ChangedFile, 'after' | 'before' | 'change'>,
  image: string | null,
): string | null {
  const stored = change === 'deleted' ? before : after
  if (stored === null)
    return change === 'deleted' ? 'Its content before the run was not kept.' : 'Its content was not kept.'
  if (image !== null) return null
  if (!isText(stored)) return 'Not a text file, so its content is not shown.'
  if (stored.size > MOST_TEXT_FILE_BYTES)
    return `Cut: the first ${MOST_TEXT_FILE_BYTES} of ${stored.size} bytes are shown.`
  if (change === 'modified' && !isText(before))
    return 'Its text before the run was not kept, so all lines are shown as they are now.'
  return null
}

function textOf(stored: StoredFile | null): string | null {
  return isText(stored) ? stored.bytes.subarray(0, MOST_TEXT_FILE_BYTES).toString() : null
}

function isText(stored: StoredFile | null): stored is StoredFile {
  if (stored === null || stored.bytes.includes(0)) return false
  // The end may be in the middle of a character where the file was not read to its end.
  return stored.bytes.length < stored.size ? true : isUtf8(stored.bytes)
}

// By its first bytes and not by its name: a name is what the agent chose.
function imageOf(path: string, { bytes, size }: StoredFile): string | null {
  if (size > MOST_IMAGE_BYTES || bytes.length < size) return null
  const type = imageTypeOf(bytes)
  if (type !== undefined) return `data:${type};base64,${bytes.toString('base64')}`
  // An image element runs no script of an SVG file and loads nothing for it.
  if (/\.svg$/i.test(path) && isUtf8(bytes)) return `data:image/svg+xml;base64,${bytes.toString('base64')}`
  return null
}

const MOST_TEXT_FILE_BYTES = 256 * 1024
const MOST_IMAGE_BYTES = 1024 ** 2

/** Where the evidence of runs is looked for: absolute paths of folders that hold run folders. */
export type RunsFolders = readonly string[]

/** A folder of the evidence of one run of a case. */
interface EvidenceFolder {
  /** Reads a file below it; `null` when it is missing, or nothing that is safe to read. */
  readonly read: (path: string, mostBytes: number) => StoredFile | null
}

/** A file as far as it was read. */
export interface StoredFile {
  readonly bytes: Buffer
  /** Bytes of the complete file. */
  readonly size: number
}

/** Finds the folder that a report names, such as `.vitest/agent-evals/<run>/cases/...`; `null` when it is missing. */
export function findEvidence(folder: string | null, runsFolders: RunsFolders): EvidenceFolder | null {
  const [, run = '', below = ''] = /(?:^|\/)\.vitest\/agent-evals\/([^/]+)\/(.+)$/.exec(folder ?? '') ?? []
  // A report may come from anywhere: it must not name files outside of the run folders.
  if (run === '' || [run, ...below.split('/')].some((name) => name === '..' || name === '.' || name === '')) return null
  const found = runsFolders.map((one) => join(one, run)).find((path) => existsSync(join(path, below)))
  if (found === undefined) return null
  const root = realpathSync(found)
  return { read: (path, mostBytes) => readFile(root, `${below}/${path}`, mostBytes) }
}

function readFile(root: string, path: string, mostBytes: number): StoredFile | null {
  const opened = openWorkspaceFile(root, path)
  if (!opened.ok) return null
  try {
    const size = Number(opened.stat.size)
    return { bytes: readUpTo(opened.fd, Math.min(size, mostBytes)), size }
  } catch {
    return null
  } finally {
    closeSync(opened.fd)
  }
}
