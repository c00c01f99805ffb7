import { AgentEvalsError } from '../errors.ts'
import { decidingUse, outcomeOfTrigger } from './assess/count-triggers.ts'
import { executeRun } from './execute-run.ts'
import { runByFirstTurn } from './first-turn-plan.ts'
import { noteSkillUse } from './run-canary.ts'
import { prepareRun } from './prepare/prepare-run.ts'
import { whyNotOffered } from './assess/skill-offered.ts'
import { describeUndecided } from '../results/run-decision.ts'
import { skillsUsed } from '../transcript/select.ts'
import type { AgentOutcome } from '../agent/agent-request.ts'
import type { PreparedRun } from '../replay/prepared-run.ts'
import type { FinishedAttempt } from './result/build-trigger-result.ts'
import type { PlannedCase } from '../results/result.ts'
import type { TriggerQuestion } from '../suites/suite.ts'
import type { CaseRequest } from './case-request.ts'

/** Runs a trigger query once; what goes wrong is part of the attempt. */
export async function attemptTrigger(
  request: CaseRequest,
  planned: PlannedCase,
  question: TriggerQuestion,
  index: number,
): Promise<FinishedAttempt | { readonly skipped: string }> {
  try {
    const label = `${planned.id} (run ${index})`
    const prepared = await prepareRun({ ...request, label, engineName: planned.engineName, run: index })
    if ('skipped' in prepared) return prepared
    return await execute(request, planned, question, { index, prepared })
  } catch (error) {
    if (!(error instanceof AgentEvalsError)) throw error
    const broken = { index, prepared: null, run: null, source: null, recorded: null, folder: null, notices: [] }
    if (error.code === 'first-turn-undecided')
      return { ...broken, problem: null, error, undecided: error.message, decided: null }
    return { ...broken, problem: error.message, error, decided: null }
  }
}

async function execute(
  request: CaseRequest,
  planned: PlannedCase,
  question: TriggerQuestion,
  { index, prepared }: Pick<FinishedAttempt, 'index'> & { readonly prepared: PreparedRun },
): Promise<FinishedAttempt> {
  const { outcome, review, evidence, notices, keepRecording } = await executeRun(prepared, {
    ...request,
    planned,
    index,
    further: { endsWith: decidingUse(question) },
    outcomeOf: (run) => outcomeOfTrigger(run, question),
    run: runByFirstTurn(request, prepared, question),
  })
  if (skillsUsed(outcome.run).length > 0) noteSkillUse(request.suite, planned.engineName)
  keepRecording(null)
  const problem = review.problem ?? whyNotOffered(outcome, question.skill, prepared.request.package)
  return {
    index,
    prepared,
    run: outcome.run,
    source: outcome.source,
    recorded: review.recorded,
    folder: evidence.folder.relativePath,
    problem: problem?.message ?? null,
    error: problem === null ? null : new AgentEvalsError(problem.code, problem.message, { remedy: problem.remedy }),
    notices: notices(),
    decided: outcome.decided ?? null,
    ...undecidedBy(outcome),
  }
}

function undecidedBy({ decided }: Pick<AgentOutcome, 'decided'>): Pick<FinishedAttempt, 'undecided'> {
  return decided?.undecided === true ? { undecided: describeUndecided(decided.because) } : {}
}
