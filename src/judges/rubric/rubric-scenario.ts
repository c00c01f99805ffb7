import { NONCE_PLACEHOLDER } from '../../gateway/sources/nonce.ts'
import { answerTurn } from '../scenario-answers.ts'
import type { Scenario, ScenarioScores } from '../../gateway/sources/scenario-file.ts'
import type { JsonObject } from '../../json.ts'
import type { ChosenJudge } from '../choose.ts'
import type { JudgeProvider } from '../providers/provider.ts'
import type { RubricQuestion } from './rubric-question.ts'

/**
 * Turns the judge's part of a scenario into a scenario of its own, whose answers have the shape that the judge is
 * forced to. It speaks for the model that was chosen: which one that is is part of what is tested.
 */
export function rubricScenario(
  question: Pick<RubricQuestion, 'golden'>,
  usedUp: number,
): (scenario: Scenario, choice: ChosenJudge, provider: JudgeProvider) => Scenario {
  return (scenario, { model }, provider) => {
    const turns = scenario.judge.slice(usedUp).map((judgement) => {
      const { scores } = judgement
      return answerTurn(judgement, scores === null ? null : writeScores(scores, question), provider)
    })
    return { ...scenario, model, turns, side: [], judge: [] }
  }
}

/** Writes scores as the judge has to answer them. */
export function writeScores(written: ScenarioScores, { golden }: Pick<RubricQuestion, 'golden'>): JsonObject {
  const scores = Object.entries(written.scores).map(([name, { score, justification }]) => {
    return [name, { justification, score }] as const
  })
  return {
    nonce: NONCE_PLACEHOLDER,
    ...Object.fromEntries(scores),
    hard_fails: written.hardFails,
    factual_checks: written.facts.map(({ stated, correct, cited }, index) => ({
      claim: golden.expectedFacts[index]?.claim ?? '',
      stated_in_response: stated,
      value_correct: correct,
      cited,
    })),
    overall: { justification: written.justification },
    orders: '',
  }
}
