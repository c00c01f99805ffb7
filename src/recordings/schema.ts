import { z } from 'zod'
import type { JsonValue } from '../json.ts'
import type { Usage } from '../transcript/transcript.ts'
import type { AnswerBlock } from '../conversation/model.ts'
import { NO_USAGE } from './recording.ts'
import type {
  RecordedAnswer,
  RecordedHook,
  RecordedInput,
  RecordedJudge,
  RecordedThread,
  RecordedResult,
  RecordedText,
  RecordedTurn,
  Recording,
} from './recording.ts'

const json = z.json() as unknown as z.ZodType<JsonValue>
const count = z.int().min(0)

const usage: z.ZodType<Usage> = z.strictObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
})

const input: z.ZodType<RecordedInput> = z.strictObject({
  path: z.string(),
  role: z.enum([
    'agent',
    'case',
    'command',
    'config',
    'fixture',
    'hook',
    'instructions',
    'lock',
    'manifest',
    'mcp',
    'overlay',
    'package-file',
    'rule',
    'scenario',
    'skill',
    'vault',
    'workspace-file',
  ]),
  hash: z.string().describe('Beginning of the SHA-256 of the content.'),
})

const sight: z.ZodType<RecordedText> = z
  .strictObject({
    path: z.string(),
    part: z.string(),
    lines: z.string().describe('Short hashes of its lines, in order.'),
  })
  .describe('A text of the package that this request showed the model.')

const result: z.ZodType<RecordedResult> = z
  .strictObject({
    id: z.string(),
    isError: z.boolean().default(false),
    lines: z.array(z.string()).default([]),
    rest: z.string().nullable().default(null).describe('Hash of the text after the first 2 KB.'),
    unstable: z.array(z.int().min(1)).default([]).describe('Lines that are different in every run.'),
    varies: z.boolean().default(false).describe('Whether even their number is.'),
  })
  .describe('A tool result that the model was given.')

const block: z.ZodType<AnswerBlock> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string() }),
  z.strictObject({ kind: z.literal('thinking'), text: z.string() }),
  z.strictObject({ kind: z.literal('tool-call'), id: z.string(), name: z.string(), input: json }),
])

const answer: z.ZodType<RecordedAnswer> = z.strictObject({
  content: z.array(block),
  stopReason: z.enum(['end-turn', 'tool-calls', 'max-tokens', 'refusal']),
  usage: usage.default(NO_USAGE),
})

const turn: z.ZodType<RecordedTurn> = z.strictObject({
  sees: z.array(sight).default([]),
  results: z.array(result).default([]),
  answer,
})

const thread: z.ZodType<RecordedThread> = z.strictObject({
  lane: z.string().regex(/^(?:main|agent|side:.+)$/),
  given: z.string().nullable().default(null).describe('What a sub-agent was given.'),
  turns: z.array(turn),
})

const hook: z.ZodType<RecordedHook> = z.strictObject({
  event: z.string(),
  tool: z.string().nullable(),
  decision: z.enum(['allowed', 'blocked-exit-2', 'denied-json', 'failed', 'invalid', 'timed-out', 'missing']),
})

const judge: z.ZodType<RecordedJudge> = z.strictObject({
  hash: z.strictObject({ criteria: z.string(), prompt: z.string(), model: z.string() }),
  kinds: z
    .array(
      z.strictObject({
        about: z.enum(['deeds', 'either', 'nothing', 'words', 'work']),
        absent: z.boolean(),
        by: z.enum(['judge', 'nobody']),
      }),
    )
    .optional(),
  answers: z.array(json),
})

/** What `evals/recordings/**.json` holds. */
export const recordingSchema: z.ZodType<Recording> = z
  .strictObject({
    version: z.literal(1),
    recordedAt: z.iso.datetime(),
    origin: z.string().min(1).describe('Id of the model that answered, or `scenario`.'),
    engine: z.strictObject({ name: z.string(), version: z.string().nullable() }),
    platform: z.string(),
    credential: z.enum(['api-key', 'auth-token', 'oauth']),
    model: z.strictObject({
      given: z.string().nullable().default(null),
      asked: z.string().nullable(),
      observed: z.string().nullable(),
    }),
    usage: usage.nullable().default(NO_USAGE),
    costUsd: z.number().min(0).nullable(),
    inputs: z.array(input),
    lanes: z.array(thread),
    hooks: z.array(hook).nullable().default(null).describe('What hooks decided, but for those that let it go on.'),
    judge: judge.nullable().default(null),
    moreJudges: z.array(judge).exactOptional().describe('Further judges of the same run.'),
  })
  .meta({
    title: 'Recording',
    description: 'The answers of a model in one run of one case. Written by `--record`; do not edit it manually.',
  })
