import { NONCE_PLACEHOLDER } from '../gateway/sources/nonce.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { QUESTION } from './judgement.ts'
import { sha256OfJson } from '../sha256.ts'
import type { JudgeQuestion } from './prompt.ts'
import type { AnsweredVerdict, JudgeAnswer } from './schema.ts'
import type { StatementKind } from './statements/kinds.ts'
import type { Scenario, ScenarioTurn } from '../gateway/sources/scenario-file.ts'
import type { JudgeHash, RecordedJudge } from '../recordings/recording.ts'
import type { ChosenJudge } from './choose.ts'

/** What stored answers of a judge depend on besides the run: criteria, our question with the number of votes, the model. */
export function hashJudge(
  { criteria, statements, expectedOutput }: Pick<JudgeQuestion, 'criteria' | 'expectedOutput' | 'statements'>,
  { model }: ChosenJudge,
  votes: number,
): JudgeHash {
  const asked = [criteria.trim(), statements, ...(expectedOutput === undefined ? [] : [expectedOutput.trim()])]
  return { criteria: sha256OfJson(asked), prompt: sha256OfJson([QUESTION, votes]), model }
}

/** Makes the judge's part of a recording. */
export function recordJudge(
  asked: JudgeHash,
  answers: readonly JudgeAnswer[],
  model: string | null,
  kinds: readonly StatementKind[] = [],
): RecordedJudge {
  const said = kinds.some(({ by }) => by !== 'nobody') ? { kinds } : {}
  return {
    hash: asked,
    ...said,
    answers: answers.map(({ verdicts, orders }) => ({ model, verdicts: verdicts.map(toJson), orders })),
  }
}

function toJson({ evidence, looked_for, ...verdict }: AnsweredVerdict): JsonObject {
  return { ...verdict, evidence: evidence.map((quote) => ({ ...quote })), looked_for: [...looked_for] }
}

/** Lets stored answers be given again, over the wire like all others. `file` is the recording. */
export function replayJudge({ answers }: RecordedJudge, file: string): Scenario {
  const [first] = answers
  const model = isJsonObject(first) && typeof first['model'] === 'string' ? first['model'] : null
  return { file, model, turns: answers.map(writeTurn), side: [], judge: [] }
}

function writeTurn(answer: RecordedJudge['answers'][number]): ScenarioTurn {
  const { model: _, ...verdict } = isJsonObject(answer) ? answer : {}
  return { line: 1, text: JSON.stringify({ nonce: NONCE_PLACEHOLDER, ...verdict }), tools: [], error: null }
}
