import { RUBRIC_SYSTEM } from './rubric-prompt.ts'
import { rubricSchema, type RubricAnswer } from './rubric-form.ts'
import { sha256OfJson } from '../../sha256.ts'
import type { JudgeHash, RecordedJudge } from '../../recordings/recording.ts'
import type { ChosenJudge } from '../choose.ts'
import type { RubricQuestion } from './rubric-question.ts'

/** What stored scores depend on besides the run: rubric and test, the prompt, the model. */
export function hashRubric({ rubric, judge, golden }: RubricQuestion, { model }: ChosenJudge): JudgeHash {
  const { expectedBehavior, expectedFacts, passCriteria, input } = golden
  const facts = expectedFacts.map(({ claim, source, expectedValue }) => [claim, source, expectedValue])
  return {
    criteria: sha256OfJson([rubric.text, input, expectedBehavior, passCriteria, facts]),
    prompt: sha256OfJson([RUBRIC_SYSTEM, rubricSchema({ rubric }), judge.template, judge.strictMode]),
    model,
  }
}

/** Makes the judge's part of a recording. */
export function recordScores(asked: JudgeHash, { raw }: RubricAnswer, model: string | null): RecordedJudge {
  return { hash: asked, answers: [{ model, ...raw }] }
}
