import { closeSync, readSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openOrThrow } from '../../lib/regular-file.ts'
import { compareTexts } from '../../lib/text.ts'
import { decodeEntry, type JournalEntry, type SkippedLine } from './journal.ts'

/** What the journals of a run hold. */
export interface JournalContent {
  /** By time; entries of one worker stay in their order. */
  readonly entries: readonly JournalEntry[]
  /** How many lines could not be read, by reason. */
  readonly skipped: Readonly<Record<SkippedLine, number>>
}

/**
 * Reads every journal of a run folder, also while workers write.
 *
 * Synchronous, since the last report of an interrupted run is written while the process exits.
 */
export function readJournals(runFolder: string): JournalContent {
  const skipped = { corrupt: 0, 'unknown-version': 0 }
  const entries: { readonly at: string; readonly entry: JournalEntry }[] = []
  for (const name of readdirSync(runFolder)
    .filter((file) => JOURNAL.test(file))
    .toSorted()) {
    let at = ''
    for (const line of readLines(join(runFolder, name))) {
      const entry = line === TOO_LONG ? 'corrupt' : decodeEntry(line)
      if (typeof entry === 'string') {
        skipped[entry]++
        continue
      }
      // A clock that jumps back must not put the end of a case before its start.
      at = entry.t > at ? entry.t : at
      entries.push({ at, entry })
    }
  }
  entries.sort((a, b) => compareTexts(a.at, b.at))
  return { entries: entries.map(({ entry }) => entry), skipped }
}

const TOO_LONG = Symbol('too long')

// In pieces: a whole journal can be longer than the longest string. Only a line feed ends a line.
function* readLines(file: string): Generator<string | typeof TOO_LONG> {
  const { fd: descriptor } = openOrThrow(file)
  try {
    const chunk = Buffer.alloc(CHUNK)
    let rest: Buffer[] = []
    let length = 0
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      let from = 0
      for (let to = chunk.indexOf(NEW_LINE); to !== -1 && to < read; to = chunk.indexOf(NEW_LINE, from)) {
        const last = chunk.subarray(from, to)
        if (length + last.length > 0) yield length > MAX_LINE ? TOO_LONG : Buffer.concat([...rest, last]).toString()
        ;[rest, length, from] = [[], 0, to + 1]
      }
      const tail = chunk.subarray(from, read)
      length += tail.length
      if (length <= MAX_LINE) rest.push(Buffer.from(tail))
      else rest = []
    }
    if (length > 0) yield length > MAX_LINE ? TOO_LONG : Buffer.concat(rest).toString()
  } finally {
    closeSync(descriptor)
  }
}

/** Names of journals. */
export const JOURNAL: RegExp = /^journal\..+\.jsonl$/
const CHUNK = 256 * 1024
const MAX_LINE = 64 * 1024 * 1024
const NEW_LINE = 0x0a
