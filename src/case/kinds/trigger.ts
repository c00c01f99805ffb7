import { describeUnknownTool } from '../../checks/checks.ts'
import { describeFailedOpen, failedOpenHooks } from '../../checks/hook-events.ts'
import { patternsOf } from '../../engines/registry.ts'
import { AgentEvalsError, stopsNewWork } from '../../lib/errors.ts'
import { skillsUsed } from '../../transcript/select.ts'
import { countTriggers, decidingUse, outcomeOfTrigger } from '../assess/count-triggers.ts'
import { whyNotOffered } from '../assess/findings.ts'
import { noteQuery, runByFirstTurn } from '../template-ahead.ts'
import { triggerThreshold } from '../plan/plan-case.ts'
import { skipResult } from '../result/build-result.ts'
import { buildTriggerResult, type FinishedAttempt } from '../result/build-trigger-result.ts'
import { triggerKey } from '../result/result-key.ts'
import { runsDue } from '../../report/results/decide-outcome.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'
import type { ReplayProblem } from '../replay/decide-replay.ts'
import type { EvalCase, TriggerQuestion } from '../../formats/suite.ts'
import type { Run } from '../context.ts'
import type { ExecutedRun } from '../execute.ts'
import type { CaseKind } from './kind.ts'
import type { Observation } from '../execute.ts'

type TriggerCase = Extract<EvalCase, { kind: 'trigger' }>
type Attempt = FinishedAttempt | { readonly skipped: string }

/** A query: run as often as is asked, each time in a workspace and a HOME of its own, and counted. */
export const trigger: CaseKind<TriggerCase, Attempt> = {
  whySkipped: () => null,
  label: ({ id }, index) => `${id} (run ${index})`,
  begin({ suite, evalCase }) {
    noteQuery({ suite, evalCase })
  },
  keyOf: (keys, { evalCase }, { settings }) => triggerKey(keys, triggerThreshold(evalCase.trigger, settings)),
  start(_context, run, prepared) {
    const question = run.evalCase.trigger
    return {
      ...watchQuestion(run, prepared, question),
      async assess(executed) {
        executed.keepRecording(null)
        return attemptOf(run, prepared, executed, problemOf(executed, prepared, question))
      },
    }
  },
  skipped: (reason) => ({ skipped: reason }),
  broken(error, { index }) {
    if (!(error instanceof AgentEvalsError)) throw error
    const { message: problem } = error
    const nothing = { prepared: null, run: null, source: null, recorded: null, folder: null, decided: null }
    return { index, ...nothing, notices: [], problem, error }
  },
  async keep() {},
  due({ settings }, { askedCase: { evalCase }, parts, of }) {
    const attempts = parts.flatMap((one) => ('skipped' in one ? [] : [one]))
    if (attempts.length < parts.length || attempts.some(isCancelled)) return of - parts.length
    const threshold = triggerThreshold(evalCase.trigger, settings)
    const counted = countTriggers(attempts, { question: evalCase.trigger, query: evalCase.prompt, threshold })
    const { completed, fired } = counted
    return runsDue({ planned: of, ended: parts.length, completed, passed: fired, threshold })
  },
  async combine(context, { askedCase, planned, startedAt, parts, of, key }) {
    const { evalCase } = askedCase
    const [skipped] = parts.flatMap((one) => ('skipped' in one ? [one.skipped] : []))
    if (skipped !== undefined) return skipResult(planned, skipped, startedAt)
    const attempts = parts.flatMap((one) => ('skipped' in one ? [] : [one]))
    const threshold = triggerThreshold(evalCase.trigger, context.settings)
    const early = context.settings.stopsEarly && of > 1 ? { planned: of } : {}
    const part = countTriggers(attempts, { question: evalCase.trigger, query: evalCase.prompt, threshold, ...early })
    // A rate of the runs that were quick enough would be another one.
    if (attempts.some(isCancelled)) throw new AgentEvalsError('cancelled', 'The run was cancelled.')
    const stop = part.completed > 0 ? undefined : attempts.find(({ error }) => stopsNewWork(error))
    if (stop?.error != null) throw stop.error
    const result = buildTriggerResult({ planned, startedAt, attempts, part })
    return key === null || attempts.some(({ prepared }) => prepared === null) ? result : { ...result, key }
  },
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

function attemptOf(
  { index }: Run,
  prepared: PreparedRun,
  { outcome, review, evidence, notices }: ExecutedRun,
  problem: ReplayProblem | null,
): FinishedAttempt {
  const { decided = null, run, source } = outcome
  return {
    index,
    prepared,
    run,
    source,
    recorded: review.recorded,
    folder: evidence.folder.relativePath,
    problem: problem?.message ?? null,
    error: problem === null ? null : new AgentEvalsError(problem.code, problem.message, { remedy: problem.remedy }),
    notices: notices(),
    decided,
  }
}

function isCancelled({ run, error }: FinishedAttempt): boolean {
  return run?.status === 'cancelled' || error?.code === 'cancelled'
}
