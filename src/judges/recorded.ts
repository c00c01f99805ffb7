import { NONCE_PLACEHOLDER } from '../gateway/sources/nonce.ts'
import { isJsonObject } from '../json.ts'
import { sha256OfJson } from '../sha256.ts'
import type { JudgeAnswer, JudgeMethod } from './method.ts'
import type { Scenario, ScenarioTurn } from '../gateway/sources/scenario-file.ts'
import type { JudgeHash, RecordedJudge } from '../recordings/recording.ts'
import type { Judged } from './judge.ts'
import type { ChosenJudge } from './choose.ts'

/** What stored answers of a judge depend on besides the run: what is asked, how, and the model. */
export function hashJudge<Answer extends JudgeAnswer>(
  { hash: { criteria, prompt } }: Pick<JudgeMethod<Answer>, 'hash'>,
  { model }: ChosenJudge,
): JudgeHash {
  return { criteria: sha256OfJson(criteria), prompt: sha256OfJson(prompt), model }
}

/** Makes the judge's part of a recording. */
export function recordJudge<Answer extends JudgeAnswer>(
  method: Pick<JudgeMethod<Answer>, 'toJson'>,
  hash: JudgeHash,
  { answers, part: { model }, kinds }: Pick<Judged<Answer>, 'answers' | 'kinds' | 'part'>,
): RecordedJudge {
  const said = kinds.some(({ by }) => by !== 'nobody') ? { kinds } : {}
  return { hash, ...said, answers: answers.map((answer) => ({ model, ...method.toJson(answer) })) }
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
