import { z } from 'zod'
import { warningAt, type FieldPath, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { readText } from '../../lib/documents/read-text.ts'
import { validate } from '../../lib/documents/validate.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts'
import type { Scenario, ScenarioError, ScenarioJudgement, ScenarioToolCall, ScenarioTurn } from './scenario-file.ts'

/** What a scenario file holds, and everything wrong with it. */
export interface LoadedScenario {
  /** `null` when any issue is an error. */
  readonly scenario: Scenario | null
  readonly issues: readonly Issue[]
}

/**
 * Reads a scenario. `file` is absolute. Never throws for what is in the file or for want of it.
 *
 * @param shown - path of the file in messages about what it answers.
 */
export async function loadScenario(file: string, shown: string = file): Promise<LoadedScenario> {
  const { text, issue } = await readText(file)
  if (text === null) return { scenario: null, issues: [issue] }
  const { scenario, issues } = parseScenario(text, file)
  return { scenario: scenario === null ? null : { ...scenario, file: shown }, issues }
}

/** Reads the text of a scenario. */
export function parseScenario(source: string, file: string): LoadedScenario {
  const read = readDocument(source, { kind: 'yaml', file, what: 'scenario' })
  // What a document holds is JSON: the reader takes nothing else.
  const document = { ...read, value: spellOutTurns(read.value as JsonValue) }
  const { value, issues } = validate(document, scenarioSchema)
  if (value === null) return { scenario: null, issues }
  const reader = createReader(document)
  const scenario = {
    file,
    model: value.model ?? null,
    turns: reader.turns(value.turns, ['turns']),
    side: reader.turns(value.side ?? [], ['side']),
    judge: (value.judge ?? []).map((written, index) =>
      readJudgement(written, document.positionOf(['judge', index]).line),
    ),
  }
  return { scenario, issues: [...issues, ...reader.warnings] }
}

interface Reader {
  readonly warnings: readonly Issue[]
  turns(written: readonly WrittenTurn[], path: FieldPath): readonly ScenarioTurn[]
}

function createReader(document: ReadDocument): Reader {
  const warnings: Issue[] = []
  const readTurns = (written: readonly WrittenTurn[], path: FieldPath): readonly ScenarioTurn[] => {
    const turns = written.map((turn, index) => readTurn(turn, [...path, index]))
    if ((turns.at(-1)?.tools.length ?? 0) > 0)
      warnings.push(
        warningAt(
          document,
          [...path, turns.length - 1],
          'open-ended',
          'the last turn calls tools, so the model is asked again and has no answer; add a turn with `text`',
        ),
      )
    return turns
  }
  const readTurn = (turn: WrittenTurn, path: FieldPath): ScenarioTurn => {
    const { line } = document.positionOf(path)
    const tools = (turn.tools ?? []).map((tool, index) => readToolCall(tool, [...path, 'tools', index]))
    return { line, text: turn.text ?? null, tools, error: turn.error === undefined ? null : readError(turn.error) }
  }
  const readToolCall = (tool: WrittenToolCall, path: FieldPath): ScenarioToolCall => {
    const turns = tool.turns === undefined ? null : readTurns(tool.turns, [...path, 'turns'])
    return { name: tool.name, input: (tool.input ?? {}) as JsonObject | string, turns }
  }
  return { warnings, turns: readTurns }
}

function readJudgement(written: WrittenJudgement, line: number): ScenarioJudgement {
  const { verdicts, text, stop, error } = written
  return {
    line,
    verdicts: verdicts?.map(({ verdict, reason, quote = '', weak = '' }) => ({ verdict, reason, quote, weak })) ?? null,
    scores: readScores(written),
    text: text ?? null,
    error: error === undefined ? null : readError(error),
    stop: stop ?? null,
  }
}

function readScores({
  scores,
  hard_fails: hardFails,
  facts,
  justification,
}: WrittenJudgement): ScenarioJudgement['scores'] {
  if (scores === undefined) return null
  const entries = Object.entries(scores).map(([name, score]) => {
    return [
      name,
      typeof score === 'object' && score !== null ? score : { score, justification: 'By the scenario.' },
    ] as const
  })
  return {
    scores: Object.fromEntries(entries),
    hardFails: hardFails ?? [],
    justification: justification ?? 'By the scenario.',
    facts: (facts ?? []).map(({ stated, correct, cited }) => ({
      stated,
      correct: correct ?? null,
      cited: cited ?? null,
    })),
  }
}

function readError({ status, type, message, 'retry-after': retryAfter }: WrittenError): ScenarioError {
  return {
    status,
    type: type ?? '',
    message: message ?? `The scenario answers ${status}.`,
    retryAfter: retryAfter ?? null,
  }
}

/**
 * Turns each plain text of a scenario into a turn with that `text`, at any depth, and each plain list of the judge into
 * `verdicts`. What has another shape stays as it is.
 *
 * Done before validation, because a choice between two shapes would hide all but the first mistake of a turn.
 */
function spellOutTurns(scenario: JsonValue): JsonValue {
  if (!isJsonObject(scenario)) return scenario
  const spelled = withTurns(scenario, ['turns', 'side'])
  const { judge } = scenario
  return Array.isArray(judge) ? { ...spelled, judge: judge.map(spellOutJudgement) } : spelled
}

function spellOutJudgement(judgement: JsonValue): JsonValue {
  return Array.isArray(judgement) ? { verdicts: judgement } : spellOut(judgement)
}

function withTurns(value: JsonObject, fields: readonly string[]): JsonObject {
  const spelled = fields.flatMap((field) => {
    const turns = value[field]
    return Array.isArray(turns) ? [[field, turns.map(spellOut)] as const] : []
  })
  return { ...value, ...Object.fromEntries(spelled) }
}

function spellOut(turn: JsonValue): JsonValue {
  if (typeof turn === 'string') return { text: turn }
  if (!isJsonObject(turn) || !Array.isArray(turn['tools'])) return turn
  const tools = turn['tools'].map((tool: JsonValue) => (isJsonObject(tool) ? withTurns(tool, ['turns']) : tool))
  return { ...turn, tools }
}

/** One answer. */
interface WrittenTurn {
  readonly text?: string | undefined
  readonly tools?: readonly WrittenToolCall[] | undefined
  readonly error?: WrittenError | undefined
}

interface WrittenToolCall {
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
    const parts = [value.verdicts, value.scores, value.text, value.error].filter((part) => part !== undefined)
    if (parts.length !== 1)
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

type WrittenError = z.infer<typeof error>

/** One answer of the judge, a plain list of verdicts turned into `verdicts`. */
type WrittenJudgement = z.infer<typeof judgement>
