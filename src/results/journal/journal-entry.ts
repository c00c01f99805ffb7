import { crc32 } from 'node:zlib'
import { isJsonObject } from '../../json.ts'
import type { CaseResult, PlannedCase } from '../result.ts'

/** Says which case an entry is about. The same case has one key in every process of a run. */
export type CaseKey = Pick<PlannedCase, 'id' | 'packageRoot' | 'engineName'>

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

const VERSION = 2

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
