import { describeUnknownTool } from '../../checks/checks.ts'
import { describeFailedOpen, failedOpenHooks } from '../../checks/hook-events.ts'
import { patternsOf } from '../../engines/registry.ts'
import { skillsUsed } from '../../transcript/select.ts'
import { countTriggers, decidingUse, isAsExpected, outcomeOfTrigger } from '../assess/count-triggers.ts'
import { whyNotOffered } from '../assess/findings.ts'
import { runByFirstTurn } from '../template-ahead.ts'
import { triggerThreshold } from '../plan/plan-case.ts'
import { combineQuery } from '../result/combine-query.ts'
import { describeTrigger } from '../../report/build/describe-trigger.ts'
import { resultOfRun } from './task.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'
import type { ReplayProblem } from '../replay/decide-replay.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import type { CaseTrigger } from '../../report/results/result.ts'
import type { EvalCase, TriggerQuestion } from '../../formats/suite.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import type { Run } from '../context.ts'
import type { ExecutedRun, Observation } from '../execute.ts'
import type { CaseKind } from './kind.ts'

type TriggerCase = Extract<EvalCase, { kind: 'trigger' }>

/** A query: run as often as is asked, each time in a workspace and a HOME of its own, and decided by its rate. */
export const trigger: CaseKind<TriggerCase> = {
  whySkipped: () => null,
  threshold: ({ trigger: question }, settings) => triggerThreshold(question, settings),
  counts: ({ trigger: part }) => (part === null || part.completed === 0 ? null : part.fired > 0),
  mayEndEarly: true,
  start(run, prepared, key) {
    const { trigger: question, prompt: query } = run.evalCase
    return {
      ...watchQuestion(run, prepared, question),
      async assess(executed) {
        executed.keepRecording(null)
        const problem = problemOf(executed, prepared, question)
        const { run: ended } = executed.outcome
        const threshold = triggerThreshold(question, run.settings)
        const attempt = { run: ended, problem: problem?.message ?? null }
        const part = countTriggers([attempt], { question, query, threshold })
        const decision = decide(part, ended, problem)
        const found = { checks: [], judge: null, notices: [], trigger: part, decision, key }
        return resultOfRun(run, prepared, executed, found)
      },
    }
  },
  combine: combineQuery,
}

function decide(part: CaseTrigger, run: AgentRun, problem: ReplayProblem | null): Decision {
  if (part.completed === 0) {
    const { code, message, remedy } = problem ?? {
      code: run.problemCode ?? 'engine-failed',
      message: run.problem ?? run.status,
    }
    const error = { code, message, ...(remedy === undefined ? {} : { remedy }) }
    return { outcome: 'errored', reason: message, error }
  }
  if (isAsExpected(part)) return { outcome: 'passed', reason: null, error: null }
  return { outcome: 'failed', reason: describeTrigger(part), error: null }
}

/** How a session is watched that asks which skill is used: the same for a query and for a test in TypeScript. */
export function watchQuestion(
  run: Pick<Run, 'evalCase' | 'settings' | 'suite'>,
  prepared: PreparedRun,
  question: TriggerQuestion,
): Observation & Required<Pick<Observation, 'further'>> {
  return {
    further: { endsWith: decidingUse(question) },
    outcomeOf: (ended) => outcomeOfTrigger(ended, question),
    engine: runByFirstTurn(run, prepared, question),
  }
}

/** Why such a session says nothing of the question; `null` when it does. */
export function problemOf(
  { outcome, review }: Pick<ExecutedRun, 'outcome' | 'review'>,
  { request }: PreparedRun,
  { skill }: TriggerQuestion,
): ReplayProblem | null {
  const { problem } = review
  if (problem !== null && problem.code !== 'drifted') return problem
  const [broken] = failedOpenHooks(outcome.run)
  if (broken !== undefined) return { code: 'hook-failed-open', message: describeFailedOpen(broken, outcome.run) }
  // A skill that was used all the same has its answer.
  const isUsed = skillsUsed(outcome.run).length > 0
  const unknown = isUsed ? null : describeUnknownTool(outcome.run, patternsOf('unknownTool'))
  if (unknown !== null) return { code: 'engine-failed', message: unknown }
  return problem ?? whyNotOffered(outcome, skill, request.package)
}
