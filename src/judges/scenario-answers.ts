import { NONCE_PLACEHOLDER } from '../gateway/sources/nonce.ts'
import type { Scenario, ScenarioJudgement, ScenarioTurn } from '../gateway/sources/scenario-file.ts'
import type { JsonObject } from '../json.ts'
import type { ChosenJudge } from './choose.ts'
import type { JudgeProvider } from './providers/provider.ts'

/**
 * Turns the judge's part of a scenario into a scenario of its own, whose answers have the shape that the judge is
 * forced to. Its model is the agent's only where the agent judges itself.
 */
export function judgeScenario(scenario: Scenario, { isDefault }: ChosenJudge, provider: AnswersByTool): Scenario {
  const turns = scenario.judge.map((judgement) => {
    const { verdicts } = judgement
    return answerTurn(judgement, verdicts === null ? null : writeVerdicts(verdicts), provider)
  })
  return { ...scenario, model: isDefault ? scenario.model : null, turns, side: [], judge: [] }
}

type AnswersByTool = Pick<JudgeProvider, 'answerTool'>

/** An answer as this judge's model gives it: as the call of a tool, else as a text. */
export function answerTurn(
  { line, text, error, stop }: ScenarioJudgement,
  answer: JsonObject | null,
  { answerTool }: AnswersByTool,
): ScenarioTurn {
  if (answer !== null && answerTool !== undefined)
    return { line, text: null, tools: [{ name: answerTool, input: answer, turns: null }], error }
  const written = answer === null ? text : JSON.stringify(answer)
  return { line, text: written, tools: [], error, ...(stop === null ? {} : { stop }) }
}

/** Says which answer of a scenario has scores where the judge is asked for verdicts, or the reverse; `null` when none has. */
export function findMisfit(
  { file, judge }: Pick<Scenario, 'file' | 'judge'>,
  field: keyof typeof MISFITS,
): string | null {
  const wrong = judge.find((judgement) => judgement[field] !== null)
  return wrong === undefined ? null : `${file}:${wrong.line}: ${MISFITS[field]}`
}

/** What is wrong with scores where no rubric is, and with verdicts where one is. */
export const MISFITS = {
  scores:
    'the answer for the judge has scores, but this case has no rubric. Write a list with one verdict for each statement.',
  verdicts:
    'the answer for the judge has verdicts, but a rubric needs scores. Write `scores` with a score for each dimension.',
} as const

/** Writes verdicts as the judge has to answer them. */
export function writeVerdicts(verdicts: NonNullable<ScenarioJudgement['verdicts']>): JsonObject {
  return {
    nonce: NONCE_PLACEHOLDER,
    verdicts: verdicts.map(({ verdict, reason, quote, weak }, index) => {
      // As the schema has it: Claude Code refuses every other answer.
      const evidence = quote === '' ? [] : [{ item: '', quote }]
      return { statement: index + 1, reason, evidence, looked_for: [], verdict, weak }
    }),
    orders: '',
  }
}
