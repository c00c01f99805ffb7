import { execute, type ExecutedRun } from '../../case/execute.ts'
import { problemOf, watchQuestion } from '../../case/kinds/trigger.ts'
import type { Observation } from '../../case/execute.ts'
import { AgentEvalsError, stopsNewWork, withRemedy } from '../../lib/errors.ts'
import { readChangedTexts, type EvidenceText } from '../../judges/evidence/evidence-item.ts'
import { decideOutcome } from '../../report/results/decide-outcome.ts'
import { continueRun, type ReplayProblem } from '../../case/replay/decide-replay.ts'
import type { RunSettings } from '../../options/settings.ts'
import { createJudgeRecorder } from '../../case/judge/judge-recorder.ts'
import { storeTestRun } from '../../case/stored-test-run.ts'
import { unusedTarget } from '../../case/assess/findings.ts'
import { linkRun, type RunLink } from '../matchers/received.ts'
import { attachEvidence, attachVerdicts } from './attach-evidence.ts'
import { errorAt, movedTo, type CallSite } from './call-site.ts'
import type { AskedRun } from './describe-run.ts'
import { isShared, sharedError } from './describe-failure.ts'
import { whileRunning } from './worker-process.ts'
import { findReusedRun, prepareTestRun, reuseRun, type StartingRun } from './reuse-run.ts'
import { removeWorkspaces, type TestRecord } from './test-record.ts'
import type { TestContext } from 'vitest'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { AgentRun, RunWithFiles } from '../../transcript/transcript.ts'
import type { Workspace } from '../../session/workspace.ts'
import { writeJudgeExchanges } from '../../report/results/write-evidence.ts'

/** The parts of a test's context that a run needs. */
export type RunContext = Pick<TestContext, 'annotate' | 'onTestFinished' | 'signal' | 'skip' | 'task'>

/**
 * Runs the engine once for a test, and leaves what it did in the test's record.
 *
 * @internal
 */
export async function runForTest(
  askedRun: AskedRun,
  record: TestRecord,
  context: RunContext,
  settings: RunSettings,
): Promise<RunWithFiles> {
  record.open += 1
  try {
    const run = await perform(askedRun, record, context, settings)
    if (run.status === 'cancelled') record.isStopped = true
    return run
  } catch (error) {
    if (error instanceof AgentEvalsError && error.code === 'cancelled') {
      record.isStopped = true
      return context.skip(error.message)
    }
    // Nothing is wrong with a test that may not spend.
    if (stopsNewWork(error)) return context.skip(`not-run: ${error.message}`)
    throw error instanceof AgentEvalsError && isShared(error) ? sharedError(error) : movedTo(askedRun.site, error)
  } finally {
    record.open -= 1
    if (record.isOver) await removeWorkspaces(record)
  }
}

async function perform(
  askedRun: AskedRun,
  record: TestRecord,
  context: RunContext,
  provided: RunSettings,
): Promise<RunWithFiles> {
  const starting = await prepareTestRun(askedRun, record, context, provided)
  const { state, run, prepared, key, linked } = starting
  const { evalCase, settings } = run
  const { index } = askedRun
  const taken = findReusedRun(state.earlier, key, settings.root)
  if (taken !== null)
    return reuseRun(taken, { index, evalCase, key, record, prepared, linked, redactor: state.redactor })
  return keepRun(askedRun, context, starting, await runSession(askedRun, starting))
}

/** A run of a test that has ended, and what its matchers need. */
interface EndedRun {
  readonly executed: ExecutedRun
  readonly files: readonly EvidenceText[]
  readonly workspace: Workspace | undefined
  /** What the test adds to the request of the engine. */
  readonly further: Observation['further']
}

async function runSession(
  { parent, question }: AskedRun,
  { record, state, run, prepared }: StartingRun,
): Promise<EndedRun> {
  let files: readonly EvidenceText[] = []
  let workspace: Workspace | undefined
  const watched = question === null ? PLAIN : watchQuestion(run, prepared, question)
  const further: Observation['further'] = {
    ...watched.further,
    handOver: (made) => {
      workspace = made
      record.workspaces.add(made)
    },
    ...(parent === null ? {} : { resume: continueRun(parent) }),
  }
  const executed = await whileRunning(
    execute(state, run, prepared, {
      ...watched,
      further: { ...further, onStart: () => state.journal.start(record.planned) },
      inspect: async (root, changed) => {
        files = await readChangedTexts(root, changed.files)
      },
    }),
  )
  return { executed, files, workspace, further }
}

const PLAIN: Observation = { outcomeOf: (ended) => decideOutcome([], null, ended) }

// Leaves the run in the record of its test, refuses one that broke, and links it to what its matchers need.
async function keepRun(
  askedRun: AskedRun,
  context: RunContext,
  { record, state, run: started, prepared, key, linked }: StartingRun,
  { executed, files, workspace, further }: EndedRun,
): Promise<RunWithFiles> {
  const { chosen, index, site, question } = askedRun
  const { evalCase, settings } = started
  const { outcome, review, evidence } = executed
  const { run, source } = outcome
  const { recorded } = review
  const problem = review.problem ?? (question === null ? null : problemOf(executed, prepared, question))
  const notices = [...executed.notices(), ...unusedTarget(run, evalCase)]
  const isWhole = run.status === 'completed' && problem === null
  const store = storeTestRun(
    evidence.folder.path,
    { run, files, source, recorded, notices, judges: [] },
    state.redactor,
  )
  const ofRun = isWhole && (await store.write()) ? { key } : {}
  record.runs.push({
    index,
    evalCase,
    run,
    source,
    recorded,
    inputs: prepared.inputs,
    notices,
    folder: evidence.folder.relativePath,
    ...(outcome.decided === undefined ? {} : { decided: outcome.decided }),
    ...ofRun,
  })
  executed.keepRecording(null)
  await attachEvidence(context, settings, evidence.folder.relativePath, index)
  refuseProblem(problem, site, context)
  if (!chosen.acceptIncomplete) refuseBroken(run, askedRun, context)
  const judges = createJudgeRecorder(outcome, prepared.source)
  const allExchanges: JudgeExchange[] = []
  const keepJudgement: RunLink['keepJudgement'] = async (exchanges, toRecord) => {
    allExchanges.push(...exchanges)
    judges.keep(toRecord)
    if (isWhole) await store.add(toRecord)
    await evidence.keep((folder, redactor) => writeJudgeExchanges(folder, allExchanges, redactor))
    await attachVerdicts(context, settings, evidence.folder.relativePath)
  }
  const continuable = {
    request: { ...prepared.request, ...further },
    outcome,
    // A first turn that decides needs none.
    workspace: question === null ? kept(workspace) : (workspace ?? null),
    key,
    isContinued: false,
  }
  return linkRun(run, { ...linked, continuable, files, judge: judges.supply, keepJudgement })
}

function kept(workspace: Workspace | undefined): Workspace {
  if (workspace !== undefined) return workspace
  throw new AgentEvalsError('workspace-failed', 'The run left no workspace.')
}

// What failed comes before drift, so that is reported once the test is over.
function refuseProblem(
  problem: ReplayProblem | null,
  site: CallSite,
  { onTestFinished, task }: Pick<TestContext, 'onTestFinished' | 'task'>,
): void {
  if (problem === null) return
  if (isShared(problem)) throw new AgentEvalsError(problem.code, problem.message)
  const error = errorAt(site, problem.code, withRemedy(problem))
  if (problem.code !== 'drifted') throw error
  onTestFinished(() => {
    if (task.result?.state !== 'fail') throw error
  })
}

// A test that does not look at how a run ended must not be green for one that broke.
function refuseBroken(
  run: AgentRun,
  { index, site }: AskedRun,
  { onTestFinished, signal, task }: Pick<TestContext, 'onTestFinished' | 'signal' | 'task'>,
): void {
  const { error } = decideOutcome([], null, run)
  if (error === null) return
  onTestFinished(() => {
    if (task.result?.state === 'fail' || signal.aborted) return
    const advice = 'If that is the subject of the test, use `{ acceptIncomplete: true }`.'
    throw errorAt(site, error.code, `Run ${index} (${run.status}): ${error.message}\n${advice}`)
  })
}
