import { z } from 'zod'

/** One answer. */
export interface WrittenTurn {
  readonly text?: string | undefined
  readonly tools?: readonly WrittenToolCall[] | undefined
  readonly error?: WrittenError | undefined
}

export interface WrittenToolCall {
  readonly name: string
  readonly input?: Readonly<Record<string, unknown>> | string | undefined
  readonly turns?: readonly WrittenTurn[] | undefined
}

const MAX_TURNS = 1000
const text = z.string().min(1)

const error = z
  .strictObject({
    status: z.int().min(400).max(599).describe('HTTP status, such as 529.'),
    type: text.optional().describe("The API's name for it, such as `overloaded_error`; default by status."),
    message: text.optional(),
    'retry-after': z.number().min(0).max(3600).optional().describe('Seconds.'),
  })
  .describe('An API error instead of an answer. It is used up by one request; the last turn of a list stays.')

const toolCall: z.ZodType<WrittenToolCall> = z.strictObject({
  name: text.describe('Name of the tool as the engine offers it, such as `Bash`.'),
  input: z
    .union([z.record(z.string(), z.unknown()), z.string()])
    .optional()
    .describe('Input of the tool; default empty. A plain text for a tool that takes free text, such as a patch.'),
  turns: z
    .lazy(() => turns)
    .optional()
    .describe('When the call starts a sub-agent: its answers. It is found again by the prompt it is given.'),
})

const turn: z.ZodType<WrittenTurn> = z
  .strictObject(
    {
      text: text.optional().describe('Text of the model.'),
      tools: z.array(toolCall).min(1).max(MAX_TURNS).optional().describe('Its tool calls, in parallel.'),
      error: error.optional(),
    },
    {
      error: ({ code }) =>
        code === 'invalid_type' ? 'expected a text, or an object with `text`, `tools` or `error`' : undefined,
    },
  )
  .superRefine((value, refinement) => {
    const saysNothing = value.text === undefined && value.tools === undefined
    if (value.error === undefined && saysNothing)
      refinement.addIssue({ code: 'custom', message: 'an empty turn; give it `text`, `tools` or `error`' })
    if (value.error !== undefined && !saysNothing)
      refinement.addIssue({ code: 'custom', path: ['error'], message: 'an error takes neither `text` nor `tools`' })
  })
  // For the published schema, which sees the file before plain texts are turned into turns.
  .meta({
    type: ['string', 'object'],
    minLength: 1,
    anyOf: [{ required: ['text'] }, { required: ['tools'] }, { required: ['error'] }],
    dependentSchemas: { error: { properties: { text: false, tools: false } } },
  })

const verdict = z
  .strictObject({
    verdict: z.enum(['pass', 'fail', 'unscored']),
    reason: text.describe('One sentence.'),
    quote: z.string().optional().describe('Verbatim evidence, which is looked up in the run.'),
    weak: z.string().optional().describe('Why the statement itself proves little, where it does.'),
  })
  .meta({ id: 'verdict' })

const score = z.union([
  z.number(),
  z.null(),
  z.strictObject({ score: z.number().nullable(), justification: z.string() }),
])

const fact = z.strictObject({
  stated: z.boolean(),
  correct: z.boolean().nullable().optional(),
  cited: z.boolean().nullable().optional(),
})

const WITH_SCORES = ['hard_fails', 'facts', 'justification'] as const

const judgement = z
  .strictObject(
    {
      verdicts: z
        .array(verdict)
        .max(MAX_TURNS)
        .optional()
        .describe('One for each statement of the criteria, in order.'),
      scores: z
        .record(z.string(), score)
        .optional()
        .describe('For a rubric judge: the score of each dimension, `null` where it does not apply.'),
      hard_fails: z.array(text).optional().describe('With `scores`: codes of the hard fails that happened.'),
      facts: z.array(fact).max(MAX_TURNS).optional().describe('With `scores`: one for each expected fact, in order.'),
      justification: text.optional().describe('With `scores`: the overall justification of the judge.'),
      text: text.optional().describe('The raw answer of a judge that misbehaves.'),
      stop: z
        .enum(['max-tokens', 'refusal'])
        .optional()
        .describe('Ends the answer early, as a limit or a refusal does.'),
      error: error.optional(),
    },
    {
      error: ({ code }) =>
        code === 'invalid_type'
          ? 'expected a list of verdicts, or an object with `verdicts`, `scores`, `text` or `error`'
          : undefined,
    },
  )
  .superRefine((value, refinement) => {
    const given = [value.verdicts, value.scores, value.text, value.error].filter((part) => part !== undefined)
    if (given.length !== 1)
      refinement.addIssue({
        code: 'custom',
        message: 'give it exactly one of `verdicts`, `scores`, `text` and `error`',
      })
    for (const field of WITH_SCORES)
      if (value.scores === undefined && value[field] !== undefined)
        refinement.addIssue({ code: 'custom', path: [field], message: 'only with `scores`' })
    if (value.error !== undefined && value.stop !== undefined)
      refinement.addIssue({ code: 'custom', path: ['stop'], message: 'an error does not stop early' })
  })
  // For the published schema, which sees the file before lists and texts are turned into objects.
  .meta({
    type: ['array', 'string', 'object'],
    minLength: 1,
    items: { $ref: '#/$defs/verdict' },
    oneOf: [
      { type: ['array', 'string'] },
      { type: 'object', required: ['verdicts'] },
      { type: 'object', required: ['scores'] },
      { type: 'object', required: ['text'] },
      { type: 'object', required: ['error'], properties: { stop: false } },
    ],
    dependentSchemas: Object.fromEntries(WITH_SCORES.map((field) => [field, { required: ['scores'] }])),
  })

const turns: z.ZodType<readonly WrittenTurn[]> = z.array(turn).min(1).max(MAX_TURNS)

/** What `evals/scenarios/<case>.yaml` may hold. */
export const scenarioSchema = z
  .strictObject({
    $schema: z.string().optional(),
    model: text.optional().describe('Model id that the answers carry; default `scenario`.'),
    turns: turns.describe('Answers on the main thread, in order. A turn without tools ends the turn of the model.'),
    side: turns.optional().describe('Answers to requests of the CLI itself, such as prompt hooks.'),
    judge: z
      .array(judgement)
      .min(1)
      .max(MAX_TURNS)
      .optional()
      .describe('Answers of the judge, one for each time it is asked. A list has one verdict for each statement.'),
  })
  .meta({
    title: 'Scenario',
    description: 'A scripted model for one case: its answers, turn by turn. Everything else is real.',
  })

export type WrittenError = z.infer<typeof error>

/** One answer of the judge, a plain list of verdicts turned into `verdicts`. */
export type WrittenJudgement = z.infer<typeof judgement>
