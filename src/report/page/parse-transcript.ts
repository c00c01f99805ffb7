import { z } from 'zod'
import { tryParseJson, type JsonValue } from '../../json.ts'

const common = {
  n: z.number().int(),
  agent: z.string().nullable().catch(null),
  // Absent in transcripts of earlier versions.
  from: z.enum(['cli', 'given to the model', 'hook', 'model']).exactOptional(),
}
const json = z.unknown().transform((value) => value as JsonValue)

const event = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('message'), text: z.string() }),
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
export interface ParsedTranscript {
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
