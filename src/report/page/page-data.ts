import { z } from 'zod'
import { tryParseJson, type JsonValue } from '../../lib/json.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'
import type { Outcome } from '../results/result.ts'

/** What the page shows before a case is opened: one small block, read at once. */
export interface PageOverview {
  readonly version: 1
  /** ISO 8601. */
  readonly generated_at: string
  readonly reports: readonly PageReport[]
  readonly totals: PageTotals
  readonly rows: readonly PageRow[]
}

/** What a report says of all its cases. */
export type PageReport = Omit<ReadReport, 'cases'>

/** Numbers of all reports of the page together. Cases that ran for comparison only count for cost alone. */
export interface PageTotals extends Readonly<Record<Outcome | 'total', number>> {
  /** Of passed and failed, from 0 to 1; `null` when there are none. */
  readonly rate: number | null
  /** Wilson's, 95%. */
  readonly interval: readonly [number, number] | null
  /** What is known to be spent. */
  readonly cost_usd: number
  /** Cases that ran and whose cost is unknown. */
  readonly unknown_cost: number
  readonly tokens: number
  /** Cases that ran and whose tokens are unknown. */
  readonly unknown_tokens: number
  /** `null` when no report knows it. */
  readonly duration_seconds: number | null
}

/** One line of the table of cases. */
export interface PageRow extends Pick<ReadCase, FieldOfRow> {
  /** Part of its address in the page, and name of its block. */
  readonly key: string
  /** The same for the arms, and for all engines and models, of one case. */
  readonly group: string
  /** Index of its report. */
  readonly report: number
  readonly id: string
  /** Why it did not pass; `null` when it did. */
  readonly reason: string | null
  readonly engine: string
  readonly model: string | null
  /** The model that it was planned for, where several run the same cases. */
  readonly planned_model: string | null
  /** Whether its answers were written by a person and not by a model. */
  readonly scripted: boolean
  /** Whether it was not run, since nothing of it had changed: its times are those of an earlier run. */
  readonly cached: boolean
  readonly format: string
  readonly file: string
  readonly line: number
  /** Of its agent runs together; `null` without any. */
  readonly duration_seconds: number | null
  readonly tokens: number | null
  /** What confined the agent. */
  readonly sandbox: string | null
  readonly runs: number
  /** Of its runs those that passed, or for a trigger query those that used the skill. */
  readonly rate: {
    readonly of: 'passed' | 'used'
    /** In how many of its completed runs. */
    readonly count: number
    readonly completed: number
    readonly value: number | null
    readonly interval: readonly [number, number] | null
  } | null
}

/** What a row has of its case as it is. */
type FieldOfRow =
  | 'arm'
  | 'category'
  | 'column'
  | 'cost_usd'
  | 'error_code'
  | 'name'
  | 'outcome'
  | 'quarantined'
  | 'source'
  | 'tags'
  | 'target'

/** Everything about one case: a block of its own, read when it is opened. */
export interface PageDetail {
  readonly case: ReadCase
  readonly runs: readonly PageRun[]
  /** Command that runs it again, from the Vitest root. */
  readonly rerun: string
}

/** What was kept of one run. */
export interface PageRun {
  readonly index: number
  /** Why there is no transcript; `null` when there is one. */
  readonly missing: string | null
  readonly prompt: string | null
  readonly events: readonly PageEvent[]
  /** Milliseconds after the start of the run, by the number of the event. Not every engine tells each. */
  readonly times: Readonly<Record<number, number>>
  readonly files: readonly PageFile[]
  /** What was left out of the page, one sentence each. */
  readonly cut: readonly string[]
}

/** A file that a run created, modified or deleted. */
export interface PageFile {
  readonly path: string
  readonly change: 'created' | 'deleted' | 'modified'
  /** Bytes after the run; `null` when it was deleted. */
  readonly size: number | null
  /** Text before the run; `null` when there was none, or it is unknown. */
  readonly before: string | null
  /** Text after the run; `null` when there is none, or it is not a text. */
  readonly after: string | null
  /** The picture as a `data:` address. */
  readonly image: string | null
  /** Why something of it is not shown. */
  readonly note: string | null
}

const common = {
  n: z.number().int(),
  agent: z.string().nullable().catch(null),
  // Absent in transcripts of earlier versions.
  from: z.enum(['cli', 'given to the model', 'hook', 'model']).exactOptional(),
}
const json = z.unknown().transform((value) => value as JsonValue)

const event = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('message'), text: z.string() }),
  z.object({ ...common, kind: z.literal('prompt'), turn: z.number().int(), text: z.string() }),
  z.object({ ...common, kind: z.literal('tool-call'), id: z.string(), tool: z.string(), input: json }),
  z.object({
    ...common,
    kind: z.literal('tool-result'),
    id: z.string(),
    text: z.string(),
    isError: z.boolean().catch(false),
    blockedBy: z.enum(['hook', 'permission', 'sandbox']).nullable().catch(null),
  }),
  z.object({
    ...common,
    kind: z.literal('skill-used'),
    skill: z.string(),
    via: z.enum(['tool', 'read']).catch('tool'),
  }),
  z.object({
    ...common,
    kind: z.literal('hook'),
    event: z.string(),
    tool: z.string().nullable().catch(null),
    decision: z.string(),
    exitCode: z.number().nullable().catch(null),
    reason: z.string().catch(''),
    told: z
      .array(z.object({ what: z.string(), text: z.string(), reachedModel: z.boolean().catch(false) }))
      .optional()
      .catch(undefined),
  }),
  z.object({
    ...common,
    kind: z.literal('api-retry'),
    status: z.number().nullable().catch(null),
    message: z.string().catch(''),
  }),
  z.object({ ...common, kind: z.literal('notice'), text: z.string() }),
])

/** One event of a transcript. */
export type PageEvent = z.infer<typeof event>

/** The events of a stored transcript, and how many of its lines are none. */
interface ParsedTranscript {
  readonly events: readonly PageEvent[]
  readonly unreadable: number
}

/** Reads `transcript.jsonl`. A line that is torn or unknown is counted, not guessed. */
export function parseTranscript(text: string): ParsedTranscript {
  const lines = text.split('\n').filter((line) => line !== '')
  const events = lines.map(parseLine).filter((one) => one !== null)
  return { events, unreadable: lines.length - events.length }
}

function parseLine(line: string): PageEvent | null {
  return event.safeParse(tryParseJson(line)).data ?? null
}
