import type { Scenario, ScenarioTurn } from '../gateway/sources/scenario-file.ts'
import type { JudgeLeaseRequest } from './judge-lease.ts'
import type { JudgeAnswer } from './method.ts'

/**
 * Turns the judge's part of a scenario into a scenario of its own, whose answers have the shape that the judge is
 * forced to. Its model is the agent's only where the agent judges itself.
 */
export function scenarioOf<Answer extends JudgeAnswer>(
  scenario: Scenario,
  { method, choice, provider, usedUp = 0 }: JudgeLeaseRequest<Answer>,
): Scenario {
  const turns = scenario.judge.slice(usedUp).map((judgement): ScenarioTurn => {
    const { line, text, error, stop } = judgement
    const answer = method.scenario.write(judgement)
    // As this judge's model gives it: as the call of a tool, else as a text.
    if (answer !== null && provider.answerTool !== undefined)
      return { line, text: null, tools: [{ name: provider.answerTool, input: answer, turns: null }], error }
    const written = answer === null ? text : JSON.stringify(answer)
    return { line, text: written, tools: [], error, ...(stop === null ? {} : { stop }) }
  })
  return { ...scenario, model: choice.isDefault ? scenario.model : null, turns, side: [], judge: [] }
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
