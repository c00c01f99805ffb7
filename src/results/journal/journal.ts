import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { threadId } from 'node:worker_threads'
import { AgentEvalsError } from '../../errors.ts'
import { encodeEntry, type CaseKey, type JournalEntry } from './journal-entry.ts'
import { compactResult } from './compact-result.ts'
import { BALLAST } from '../run-folder.ts'
import type { Redactor } from '../redact.ts'
import type { CaseResult, PlannedCase } from '../result.ts'

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

/** How a journal is written. */
export interface JournalOptions {
  /** Takes secrets out of every result before it reaches the disk. */
  readonly redactor?: Redactor | undefined
}

/** Opens the journal of this worker in a run folder. Files are per worker, so that writers never meet. */
export function openJournal(runFolder: string, options: JournalOptions = {}): Journal {
  const { redactor } = options
  mkdirSync(runFolder, { recursive: true })
  const file = join(runFolder, `journal.${process.pid}-${threadId}.jsonl`)
  const descriptor = openSync(file, 'a+')
  endTornLine(descriptor)
  const sync = createSync(descriptor)
  let diskFull = false

  function append(entry: JournalEntry): void {
    if (appendWhole(descriptor, encodeEntry(diskFull ? compactEntry(entry) : entry))) return
    // From here on space is for how cases came out.
    diskFull = true
    rmSync(join(runFolder, BALLAST), { force: true })
    if (appendWhole(descriptor, encodeEntry(compactEntry(entry)))) return
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

function compactEntry(entry: JournalEntry): JournalEntry {
  return 'result' in entry ? { ...entry, result: compactResult(entry.result) } : entry
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
