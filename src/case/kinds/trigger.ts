import { describeUnknownTool } from '../../checks/agent-blocked.ts'
import { describeFailedOpen, failedOpenHooks } from '../../checks/hook-events.ts'
import { patternsOf } from '../../engines/registry.ts'
import { AgentEvalsError, stopsNewWork } from '../../lib/errors.ts'
import { describeUndecided, skillsUsed } from '../../transcript/select.ts'
import { countTriggers, decidingUse, outcomeOfTrigger } from '../assess/count-triggers.ts'
import { whyNotOffered } from '../assess/findings.ts'
import { noteQuery, runByFirstTurn } from '../template-ahead.ts'
import { triggerThreshold } from '../plan/plan-case.ts'
import { skipResult } from '../result/build-result.ts'
import { buildTriggerResult, type FinishedAttempt } from '../result/build-trigger-result.ts'
import { triggerKey } from '../result/result-key.ts'
import { runsDue } from '../../report/results/decide-outcome.ts'
import { findOutWhetherSkillsFire, isProven, noteRunsUnderWay, noteSkillUse } from '../run-canary.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'
import type { ReplayProblem } from '../replay/decide-replay.ts'
import type { TriggerPart } from '../../report/results/result.ts'
import type { EvalCase, TriggerQuestion } from '../../formats/suite.ts'
import type { AskedCase, Run, RunContext } from '../context.ts'
import type { ExecutedRun } from '../run.ts'
import type { CaseKind, Observation } from './kind.ts'

type TriggerCase = Extract<EvalCase, { kind: 'trigger' }>
type Attempt = FinishedAttempt | { readonly skipped: string }

/** A query: run as often as is asked, each time in a workspace and a HOME of its own, and counted. */
export const trigger: CaseKind<TriggerCase, Attempt> = {
  whySkipped: () => null,
  label: ({ id }, index) => `${id} (run ${index})`,
  begin({ suite, evalCase }) {
    noteQuery({ suite, evalCase })
    return noteRunsUnderWay(suite)
  },
  // First turns alone leave other runs out of the rate.
  keyOf: (keys, { evalCase }, { settings }) =>
    triggerKey(
      [...(settings.triggers === 'probe' ? ['probe'] : []), ...keys],
      triggerThreshold(evalCase.trigger, settings),
    ),
  start(_context, run, prepared) {
    const question = run.evalCase.trigger
    return {
      ...watchQuestion(run, prepared, question),
      async assess(executed) {
        if (skillsUsed(executed.outcome.run).length > 0) noteSkillUse(run.suite, run.planned.engineName)
        executed.keepRecording(null)
        return attemptOf(run, prepared, executed, problemOf(executed, prepared, question))
      },
    }
  },
  skipped: (reason) => ({ skipped: reason }),
  broken(error, { index }) {
    if (!(error instanceof AgentEvalsError)) throw error
    const broken = { index, prepared: null, run: null, source: null, recorded: null, folder: null, notices: [] }
    if (error.code === 'first-turn-undecided')
      return { ...broken, problem: null, error, undecided: error.message, decided: null }
    return { ...broken, problem: error.message, error, decided: null }
  },
  async keep() {},
  due({ settings }, { askedCase: { suite, evalCase }, parts, of }) {
    const attempts = parts.flatMap((one) => ('skipped' in one ? [] : [one]))
    if (attempts.length < parts.length || attempts.some(isCancelled)) return of - parts.length
    const threshold = triggerThreshold(evalCase.trigger, settings)
    const counted = countTriggers(attempts, { question: evalCase.trigger, query: evalCase.prompt, threshold })
    const { completed, fired, firedInstead } = counted
    const due = runsDue({ planned: of, ended: parts.length, completed, passed: fired, threshold })
    // While nothing shows that skills can be used at all, a run that uses one decides whether a canary is asked.
    const engine = attempts.find(({ prepared }) => prepared !== null)?.prepared?.request.engine.engine.name
    const isSure = fired > 0 || firedInstead.length > 0 || (engine !== undefined && isProven(suite, engine))
    return due > 0 || isSure ? due : Math.min(1, of - parts.length)
  },
  async combine(context, { askedCase, planned, startedAt, parts, of, key }) {
    const { suite, evalCase } = askedCase
    const [skipped] = parts.flatMap((one) => ('skipped' in one ? [one.skipped] : []))
    if (skipped !== undefined) return skipResult(planned, skipped, startedAt)
    const attempts = parts.flatMap((one) => ('skipped' in one ? [] : [one]))
    const threshold = triggerThreshold(evalCase.trigger, context.settings)
    const counted = countTriggers(attempts, { question: evalCase.trigger, query: evalCase.prompt, threshold })
    // A rate of the runs that were quick enough would be another one.
    if (attempts.some(isCancelled)) throw new AgentEvalsError('cancelled', 'The run was cancelled.')
    const stop = counted.completed > 0 ? undefined : attempts.find(({ error }) => stopsNewWork(error))
    if (stop?.error != null) throw stop.error
    const tried = await tryCanary(context, suite, attempts, counted)
    const canaryError = tried instanceof AgentEvalsError ? tried : null
    const made = context.settings.stopsEarly && of > 1 ? { runs: of, saved: of - parts.length, interval: null } : {}
    const part = { ...counted, ...made, canary: tried instanceof AgentEvalsError ? null : tried }
    const result = buildTriggerResult({ planned, startedAt, attempts, part, canaryError })
    return key === null || attempts.some(({ prepared }) => prepared === null) ? result : { ...result, key }
  },
  finish: async (_context, _asked, result) => result,
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
    ...(decided?.undecided === true ? { undecided: describeUndecided(decided.because) } : {}),
  }
}

function isCancelled({ run, error }: FinishedAttempt): boolean {
  return run?.status === 'cancelled' || error?.code === 'cancelled'
}

// Only a query in which nothing at all was used leaves the doubt whether anything can be. A canary that breaks leaves it
// open, and the runs that were paid for stay.
async function tryCanary(
  { settings }: RunContext,
  suite: AskedCase['suite'],
  attempts: readonly FinishedAttempt[],
  { completed, fired, firedInstead }: TriggerPart,
): Promise<AgentEvalsError | TriggerPart['canary']> {
  const like = attempts.find(({ prepared }) => prepared !== null)?.prepared?.request
  if (completed === 0 || fired > 0 || firedInstead.length > 0 || like === undefined) return null
  try {
    return await findOutWhetherSkillsFire({ suite, settings, like })
  } catch (error) {
    if (!(error instanceof AgentEvalsError) || error.code === 'cancelled' || stopsNewWork(error)) throw error
    return error
  }
}
