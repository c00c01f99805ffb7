import { closeSync, fdatasync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { threadId } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import type { Redactor } from '../../gateway/redact.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isJsonObject } from '../../lib/json.ts'
import type { CaseResult, PlannedCase } from './result.ts'

/** The journal of one worker: what it says has ended survives a kill of the worker and of the machine. */
export interface Journal extends AsyncDisposable {
  /** Says that a case is to run that the plan does not know yet. It may be lost with the machine, not with the process. */
  plan(planned: PlannedCase): void
  /** Notes that all tests of a file in TypeScript are planned; `key` is that of its placeholder. */
  collected(key: CaseKey): void
  /** Says that work on a case begins. It may be lost with the machine, not with the process. */
  start(key: CaseKey): void
  /** Resolves when the result is on the disk; call it before the test ends. */
  end(result: CaseResult): Promise<void>
  /** The same for one of several runs of a case. */
  endRun(result: CaseResult): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens the journal of this worker in a run folder. Files are per worker, so that writers never meet.
 *
 * @param redactor - takes secrets out of every result before it reaches the disk.
 */
export function openJournal(runFolder: string, { redactor }: { readonly redactor?: Redactor } = {}): Journal {
  mkdirSync(runFolder, { recursive: true })
  const file = join(runFolder, `journal.${process.pid}-${threadId}.jsonl`)
  const descriptor = openSync(file, 'a+')
  endTornLine(descriptor)
  const sync = createSync(descriptor)

  function append(entry: JournalEntry): void {
    if (appendWhole(descriptor, encodeEntry(entry))) return
    throw new AgentEvalsError(
      'report-unwritable',
      `The disk is full: ${file} cannot take a result. Free some space and run again.`,
    )
  }

  async function appendResult(kind: 'case-end' | 'run-end', result: CaseResult): Promise<void> {
    append({ kind, t: now(), result: redactor?.values(result) ?? result })
    await sync()
  }

  return {
    plan: (planned) => append({ kind: 'case-plan', t: now(), planned }),
    collected: (key) => append({ kind: 'file-collected', t: now(), ...keyOnly(key) }),
    start: (key) => append({ kind: 'case-start', t: now(), ...keyOnly(key) }),
    end: (result) => appendResult('case-end', result),
    endRun: (result) => appendResult('run-end', result),
    async [Symbol.asyncDispose]() {
      await sync()
      closeSync(descriptor)
    },
  }
}

function keyOnly({ id, packageRoot, engineName }: CaseKey): CaseKey {
  return { id, packageRoot, engineName }
}

// A line that was cut by a kill must not swallow the next one.
function endTornLine(descriptor: number): void {
  const { size } = fstatSync(descriptor)
  const last = Buffer.alloc(1)
  if (size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== NEW_LINE)
    appendWhole(descriptor, '\n')
}

// Writes all of a line or nothing of it; `false` when the disk is full.
function appendWhole(descriptor: number, line: string): boolean {
  const { size } = fstatSync(descriptor)
  const bytes = Buffer.from(line)
  try {
    // A short write is how a disk says that it has just become full.
    if (writeSync(descriptor, bytes) === bytes.length) return true
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
  ftruncateSync(descriptor, size)
  return false
}

// Cases that end together share one flush; the one that comes during a flush waits for the next.
function createSync(descriptor: number): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  return () => {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null
        running = flush(descriptor)
        return running
      })
    return next
  }
}

function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

function now(): string {
  return new Date().toISOString()
}

const flush = promisify(fdatasync)
const NEW_LINE = 0x0a

/** Says which case an entry is about. The same case has one key in every process of a run. */
type CaseKey = Pick<PlannedCase, 'id' | 'packageRoot' | 'engineName'>

/** One line of a journal. */
export type JournalEntry =
  | ({
      readonly kind: 'case-start'
      /** ISO 8601. */
      readonly t: string
    } & CaseKey)
  | { readonly kind: 'case-end'; readonly t: string; readonly result: CaseResult }
  /** One of several runs of a case: it is not lost when the others are. */
  | { readonly kind: 'run-end'; readonly t: string; readonly result: CaseResult }
  /** A file of tests in TypeScript was collected: from here on it is known which tests it holds. */
  | ({ readonly kind: 'file-collected'; readonly t: string } & CaseKey)
  // Of a test in TypeScript, which is not known before its file was collected.
  | { readonly kind: 'case-plan'; readonly t: string; readonly planned: PlannedCase }

/** A line that could not be read, by reason. */
export type SkippedLine = 'corrupt' | 'unknown-version'

// Raise it when a result has to have another field: a line of before is then one of an unknown version.
const VERSION = 3

/** One line with its checksum: it separates a whole line from a torn or overwritten one. */
export function encodeEntry(entry: JournalEntry): string {
  const record = JSON.stringify({ v: VERSION, ...entry })
  return `${BEFORE_SUM}${checksum(record)}${BEFORE_RECORD}${record}}\n`
}

/** Reads a line back, without its line break. */
export function decodeEntry(line: string): JournalEntry | SkippedLine {
  // As `encodeEntry` writes it: `{"crc":"` and eight digits, then the record.
  if (!line.startsWith(BEFORE_SUM) || !line.startsWith(BEFORE_RECORD, SUM_END) || !line.endsWith('}')) return 'corrupt'
  const record = line.slice(SUM_END + BEFORE_RECORD.length, -1)
  if (checksum(record) !== line.slice(BEFORE_SUM.length, SUM_END)) return 'corrupt'
  const value: unknown = JSON.parse(record)
  // The checksum proves that this package wrote the line, the version that it is in the shape of now.
  if (!isJsonObject(value) || value['v'] !== VERSION) return 'unknown-version'
  if (!KINDS.has(value['kind'])) return 'unknown-version'
  return value as unknown as JournalEntry
}

function checksum(record: string): string {
  return crc32(record).toString(16).padStart(8, '0')
}

const KINDS: ReadonlySet<unknown> = new Set([
  'case-end',
  'case-plan',
  'case-start',
  'file-collected',
  'run-end',
] satisfies JournalEntry['kind'][])
const BEFORE_SUM = '{"crc":"'
const SUM_END = BEFORE_SUM.length + 8
const BEFORE_RECORD = '","r":'
