import { z } from 'zod'
import { INDEX, parseIndex, type KeptFile } from '../../results/kept-files.ts'
import { findEvidence, type EvidenceFolder, type EvidencePlaces, type StoredFile } from './evidence-places.ts'
import { pageFile } from './page-file.ts'
import { parseTranscript, type PageEvent } from './parse-transcript.ts'
import type { PageFile, PageRun } from './page-data.ts'
import type { ReadRun } from '../read-report.ts'

/** Reads what was kept of one run. */
export function readPageRun(run: ReadRun, places: EvidencePlaces): PageRun {
  const { folder } = run
  const index = run.index ?? 0
  const evidence = findEvidence(folder, places)
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
