import { z } from 'zod'
import type { JsonValue } from '../lib/json.ts'
import type { Usage } from '../transcript/transcript.ts'
import { NO_USAGE } from '../transcript/transcript.ts'
import { INPUT_ROLES, type StatementKind } from './input.ts'
import type { AnswerBlock, StopReason } from './messages.ts'

const json = z.json() as unknown as z.ZodType<JsonValue>
const count = z.int().min(0)

function list<Item>(item: z.ZodType<Item>): z.ZodType<readonly Item[]> {
  return z.array(item)
}

const usage: z.ZodType<Usage> = z.strictObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
})

const input = z.strictObject({
  path: z.string(),
  role: z.enum(INPUT_ROLES),
  /** The first 16 digits. */
  hash: z.string().describe('Beginning of the SHA-256 of the content.'),
})

const sight = z
  .strictObject({
    /** File, relative to the package. */
    path: z.string(),
    /** Such as `prompt`, `description`, `body` or `tool mcp__pdf__count`. */
    part: z.string(),
    hash: z.string().describe('Beginning of the SHA-256 of the whole text, with one space for each gap.'),
  })
  .describe('A text of the package that this request showed the model, known by its first lines.')

const keptLines = {
  lines: list(z.string()).default([]),
  /** `null` also where what follows did not prove stable. */
  rest: z.string().nullable().default(null).describe('Hash of the text after the first 2 KB.'),
  /** From 1. */
  unstable: list(z.int().min(1)).default([]).describe('Lines that are different in every run.'),
  varies: z.boolean().default(false).describe('Whether even their number is.'),
}

const result = z
  .strictObject({ id: z.string(), isError: z.boolean().default(false), ...keptLines })
  .describe('A tool result that the model was given.')

const stopReason: z.ZodType<StopReason> = z.enum(['end-turn', 'tool-calls', 'max-tokens', 'refusal'])

const block: z.ZodType<AnswerBlock> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string() }),
  z.strictObject({ kind: z.literal('thinking'), text: z.string() }),
  z.strictObject({ kind: z.literal('tool-call'), id: z.string(), name: z.string(), input: json }),
  z.strictObject({ kind: z.literal('other'), type: z.string(), value: json }),
])

const answer = z.strictObject({
  content: list(block),
  stopReason,
  usage: usage.default(NO_USAGE),
})

// One different request of a thread and its answer.
const turn = z.strictObject({
  /** Texts of ours that this request showed the model for the first time. */
  sees: list(sight).default([]),
  /** Tool results that came with this request. */
  results: list(result).default([]),
  answer,
})

// One conversation of the run. Its turns are found again by thread and ordinal alone.
const thread = z.strictObject({
  lane: z.string().regex(/^(?:main|agent|side:.+)$/),
  /** `null` for the others. Their order separates equal ones. */
  given: z.string().nullable().default(null).describe('What a sub-agent was given.'),
  turns: list(turn),
})

const decision = z.enum(['allowed', 'blocked-exit-2', 'denied-json', 'failed', 'invalid', 'timed-out', 'missing'])

const hook = z.strictObject({
  /** Universal event name, such as `pre-tool-use`. */
  event: z.string(),
  tool: z.string().nullable(),
  decision,
  ...keptLines,
  lines: list(z.string()).default([]).describe('What it told the model and the user, such as `context: Be brief.`.'),
})

const kind: z.ZodType<StatementKind> = z.strictObject({
  about: z.enum(['deeds', 'either', 'nothing', 'words', 'work']),
  absent: z.boolean(),
  by: z.enum(['judge', 'nobody']),
})

const judge = z.strictObject({
  /** What the judge was asked. Its answers hold only while all of it is the same. */
  hash: z.strictObject({ criteria: z.string(), prompt: z.string(), model: z.string() }),
  /** What each statement is about, as the judge said before it saw the run; absent where nobody said it. */
  kinds: list(kind).optional(),
  /** As the judge's own part of the program reads them. */
  answers: list(json),
})

/** Any other version of recordings has to be recorded again. */
export const RECORDING_VERSION = 2

/** What `evals/recordings/**.json` holds. */
export const recordingSchema = z
  .strictObject({
    version: z.literal(RECORDING_VERSION),
    /** In UTC. */
    recordedAt: z.iso.datetime(),
    origin: z.string().min(1).describe('Id of the model that answered, or `scenario`.'),
    engine: z.strictObject({ name: z.string(), version: z.string().nullable() }),
    /** Such as `linux-x64`. */
    platform: z.string(),
    /** Kind of credential the engine was given: some engines behave differently by it. */
    credential: z.enum(['api-key', 'auth-token', 'oauth']),
    model: z.strictObject({
      /** As in the option `model`; `null` when the engine chose. */
      given: z.string().nullable().default(null),
      /** Id that the engine asked the API for. */
      asked: z.string().nullable(),
      /** Id that the API answered as. */
      observed: z.string().nullable(),
    }),
    /** What the answers took when they were recorded; `null` when unknown. */
    usage: usage.nullable().default(NO_USAGE),
    costUsd: z.number().min(0).nullable(),
    durationMs: z.number().min(0).exactOptional().describe('How long the run took, in milliseconds.'),
    inputs: list(input),
    turns: list(
      z.strictObject({
        /** Of the main lane. */
        requests: count,
        usage: usage.nullable(),
        costUsd: z.number().min(0).nullable(),
        durationMs: z.number().min(0),
      }),
    )
      .exactOptional()
      .describe('What each message of the user took, where there were several.'),
    lanes: list(thread),
    /** `null` where they did something else in a second run. */
    hooks: list(hook).nullable().default(null).describe('The hooks that decided or told something.'),
    /** `null` when none was asked. */
    judge: judge.nullable().default(null),
    /** Tests in TypeScript may ask several. */
    moreJudges: list(judge).exactOptional().describe('Further judges of the same run.'),
  })
  .meta({
    title: 'Recording',
    description: 'The answers of a model in one run of one case. Written by `--record`; do not edit it manually.',
  })
