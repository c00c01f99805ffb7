import { NONCE_PLACEHOLDER } from '../gateway/sources/nonce.ts'
import { isJsonObject } from '../json.ts'
import { SYSTEM_PROMPT, type JudgeQuestion } from './prompt.ts'
import { ANSWER_SCHEMA, type JudgeAnswer } from './schema.ts'
import { sha256 } from '../sha256.ts'
import type { Scenario, ScenarioTurn } from '../gateway/sources/scenario-file.ts'
import type { JudgeHash, RecordedJudge } from '../recordings/recording.ts'
import type { ChosenJudge } from './choose.ts'

/** What stored answers of a judge depend on besides the run: criteria, our prompt with the number of votes, the model. */
export function hashJudge(
  { criteria, statements, expectedOutput }: Pick<JudgeQuestion, 'criteria' | 'expectedOutput' | 'statements'>,
  { model }: ChosenJudge,
  votes: number,
): JudgeHash {
  const asked = [criteria.trim(), statements, ...(expectedOutput === undefined ? [] : [expectedOutput.trim()])]
  return { criteria: hash(asked), prompt: hash([SYSTEM_PROMPT, ANSWER_SCHEMA, votes]), model }
}

/** Makes the judge's part of a recording. */
export function recordJudge(asked: JudgeHash, answers: readonly JudgeAnswer[], model: string | null): RecordedJudge {
  return {
    hash: asked,
    answers: answers.map(({ verdicts, orders }) => ({ model, verdicts: verdicts.map((one) => ({ ...one })), orders })),
  }
}

/** Lets stored answers be given again, over the wire like all others. `file` is the recording. */
export function replayJudge({ answers }: RecordedJudge, file: string): Scenario {
  const [first] = answers
  const model = isJsonObject(first) && typeof first['model'] === 'string' ? first['model'] : null
  return { file, model, turns: answers.map(writeTurn), side: [], judge: [] }
}

function writeTurn(answer: RecordedJudge['answers'][number]): ScenarioTurn {
  const { model: _, ...said } = isJsonObject(answer) ? answer : {}
  return { line: 1, text: JSON.stringify({ nonce: NONCE_PLACEHOLDER, ...said }), tools: [], error: null }
}

function hash(value: unknown): string {
  return sha256(JSON.stringify(value))
}
