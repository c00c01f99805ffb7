import { kindOf } from '../../suites/kinds.ts'
import { casePlaces } from '../../case/prepare/find-scenario.ts'
import { readSentence } from '../../checks/checks.ts'
import { readScores, writeScores } from '../../judges/methods/rubric.ts'
import { describeUnknownCodes, type RubricOfTest } from '../../judges/methods/rubric-score.ts'
import { readVerdicts, writeVerdicts } from '../../judges/methods/verdicts.ts'
import { MISFITS } from '../../judges/scenario-answers.ts'
import { splitCriteria } from '../../judges/statements/statements.ts'
import type { Issue } from '../../documents/issue.ts'
import type { ScenarioJudgement } from '../../gateway/sources/scenario-file.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { ScenarioIndex } from './scenario-index.ts'

/** Finds answers for the judge in scenarios that do not fit the case that plays them. */
export function findWrongJudgeAnswers(suite: Suite, scenarios: ScenarioIndex): readonly Issue[] {
  return scenarios.files.length === 0 ? [] : suite.cases.flatMap((one) => lookAtCase(suite, one, scenarios))
}

function lookAtCase(suite: Suite, evalCase: EvalCase, { at }: ScenarioIndex): readonly Issue[] {
  const describe = problemFinder(suite, evalCase)
  if (describe === null) return []
  const places = casePlaces({ suite, evalCase, settings: { root: suite.packageRoot, scenarios: null } })
  return [...new Set(places.flatMap((place) => at(place)))].flatMap(({ file, loaded }) =>
    (loaded?.scenario?.judge ?? []).flatMap((answer): readonly Issue[] => {
      const message = describe(answer)
      if (message === null) return []
      return [{ code: 'judge-answer', severity: 'error', file, field: 'judge', message, line: answer.line, column: 1 }]
    }),
  )
}

type ProblemFinder = (answer: ScenarioJudgement) => string | null

function problemFinder({ agent }: Suite, evalCase: EvalCase): ProblemFinder | null {
  const { criteria } = evalCase
  const golden = kindOf(evalCase).golden(evalCase)
  if (golden !== null && agent !== undefined) return rubricProblem({ golden, rubric: agent.rubric })
  if (criteria === null) return null
  const statements = criteria.statements?.map(({ text }) => text) ?? splitCriteria(criteria.text)
  return statementsProblem(statements)
}

function rubricProblem(question: RubricOfTest): ProblemFinder {
  return ({ verdicts, scores }) => {
    if (verdicts !== null) return MISFITS.verdicts
    if (scores === null) return null
    const read = readScores(writeScores(scores, question), question)
    if ('malformed' in read) return read.malformed
    return read.answer.unknownHardFails.length === 0 ? null : describeUnknownCodes(read.answer, question)
  }
}

// A check may decide a sentence that it knows, so the judge is asked about all statements or about fewer.
function statementsProblem(statements: readonly string[]): ProblemFinder {
  const most = statements.length
  const least = statements.filter((text) => readSentence(text) === null).length
  return ({ verdicts, scores }) => {
    if (scores !== null) return MISFITS.scores
    if (verdicts === null || (verdicts.length >= least && verdicts.length <= most)) return null
    const asked = verdicts.length < least ? least : most
    const numbers = Array.from({ length: asked }, (_, index) => index + 1)
    const read = readVerdicts(writeVerdicts(verdicts), numbers)
    return 'malformed' in read ? read.malformed : null
  }
}
