import { NONCE_PLACEHOLDER } from '../gateway/sources/nonce.ts'
import { isJsonObject } from '../json.ts'
import { sha256OfJson } from '../sha256.ts'
import type { JudgeQuestion } from './prompt.ts'
import type { JudgeAnswer } from './schema.ts'
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
  return { criteria: sha256OfJson(asked), prompt: QUESTION[votes - 1] ?? sha256OfJson(['question', votes]), model }
}

/**
 * Names what is asked, for 1 to 9 votes: one verdict for each statement with a verbatim quote. Better words for the same
 * question keep stored answers valid, since their quotes are looked up again. Another question needs other names.
 */
const QUESTION = [
  '155ccc5c3c631cb6951ddcf77d4a909018edb0f3e2cc95452ea59ad5c5bdf1ae',
  '8286c5399b1828e2959d62541d64bc020c4b69d8c341e9d238c43228f6da1688',
  'bcc0240efc97dcac4e3f1d3236467637a67b859a1cc1ada76ffa1454736197e8',
  'ba626e30fbb98158fbbab26e48f0e3db2fb5e7665352ecfeac9547eaa0353300',
  '4227fc516fe1165e07348dd332b52c1963b8f05b50f81f3b8de43117ff907e86',
  '127d9ff4817b8dbfda68f232930d2e9127575a3281bf0aff6d0b9501082d5db4',
  '44732c2f517ec25a95d725a95cfa0443c8f4f944eb5afea0fd0d8b9de7e83904',
  'aec7832011dea6d783f1f0e2c30a61228031633490a8dde7b79a6746aeef1bec',
  '10804d12d58b393e23f24ddd9ffe522340b102942b4bcc0fb35b231c51db9cae',
] as const

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
  const { model: _, ...verdict } = isJsonObject(answer) ? answer : {}
  return { line: 1, text: JSON.stringify({ nonce: NONCE_PLACEHOLDER, ...verdict }), tools: [], error: null }
}
