import { NONCE_PLACEHOLDER } from '../gateway/sources/nonce.ts'
import type { Scenario, ScenarioJudgement, ScenarioTurn } from '../gateway/sources/scenario-file.ts'
import type { JsonObject } from '../json.ts'
import type { ChosenJudge } from './choose.ts'

/**
 * Turns the judge's part of a scenario into a scenario of its own, whose answers have the shape that the judge is
 * forced to. Its model is the agent's only where the agent judges itself.
 */
export function judgeScenario(scenario: Scenario, { provider, isDefault }: ChosenJudge): Scenario {
  const turns = scenario.judge.map((judgement) =>
    provider === 'claude-code' ? toolTurn(judgement) : textTurn(judgement),
  )
  return { ...scenario, model: isDefault ? scenario.model : null, turns, side: [], judge: [] }
}

/** Says which answer of a scenario has scores, where the judge is asked for verdicts; `null` when none has. */
export function findScores({ file, judge }: Pick<Scenario, 'file' | 'judge'>): string | null {
  const wrong = judge.find(({ scores }) => scores !== null)
  return wrong === undefined ? null : `${file}:${wrong.line}: ${SCORES_HERE}`
}

/** What is wrong with scores where no rubric is. */
export const SCORES_HERE =
  'the answer for the judge has scores, and this case has no rubric. Write a list with one verdict for each statement.'

function textTurn({ line, verdicts, text, error, stop }: ScenarioJudgement): ScenarioTurn {
  const answer = verdicts === null ? text : JSON.stringify(writeVerdicts(verdicts))
  return { line, text: answer, tools: [], error, ...(stop === null ? {} : { stop }) }
}

// Claude Code takes a structured answer as the call of a tool.
function toolTurn(judgement: ScenarioJudgement): ScenarioTurn {
  const { verdicts, line, error } = judgement
  if (verdicts === null) return textTurn(judgement)
  return { line, text: null, tools: [{ name: 'StructuredOutput', input: writeVerdicts(verdicts), turns: null }], error }
}

/** Writes verdicts as the judge has to answer them. */
export function writeVerdicts(verdicts: NonNullable<ScenarioJudgement['verdicts']>): JsonObject {
  return {
    nonce: NONCE_PLACEHOLDER,
    verdicts: verdicts.map(({ verdict, reason, quote, weak }, index) => {
      return { statement: index + 1, reason, quote, verdict, weak }
    }),
    orders: '',
  }
}
