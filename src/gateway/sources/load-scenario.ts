import type { JsonObject, JsonValue } from '../../json.ts'
import { warningAt } from '../../documents/document.ts'
import type { FieldPath, ReadDocument } from '../../documents/document.ts'
import { readDocument } from '../../documents/read-document.ts'
import { readText } from '../../documents/read-text.ts'
import { validate } from '../../documents/validate.ts'
import type { Issue } from '../../documents/issue.ts'
import { spellOutTurns } from './plain-turns.ts'
import type { Scenario, ScenarioError, ScenarioJudgement, ScenarioToolCall, ScenarioTurn } from './scenario-file.ts'
import { scenarioSchema } from './scenario-schema.ts'
import type { WrittenError, WrittenJudgement, WrittenToolCall, WrittenTurn } from './scenario-schema.ts'

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
  const given = Object.entries(scores).map(([name, score]) => {
    return [
      name,
      typeof score === 'object' && score !== null ? score : { score, justification: 'By the scenario.' },
    ] as const
  })
  return {
    scores: Object.fromEntries(given),
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
