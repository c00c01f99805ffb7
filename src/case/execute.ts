import { wholePrompt } from '../formats/kinds.ts'
import { upstreamKind } from '../gateway/leases/lease.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import { scenarioNotices } from '../report/build/summarize-run.ts'
import { openEvidence, type EvidenceKeeper } from '../report/results/case-folder.ts'
import { keepTextsBefore } from '../report/results/kept-files.ts'
import { writeRunFiles } from '../report/results/write-evidence.ts'
import type { AgentRequest } from '../session/agent-request.ts'
import { readBefore } from './assess/inspect-workspace.ts'
import type { Run, RunContext } from './context.ts'
import { prepareRun, type SkippedRun } from './prepare/prepare-run.ts'
import { reviewRecording, type RecordingReview } from './replay/decide-replay.ts'
import {
  keepRecording,
  runRecorded,
  type OutcomeOf,
  type PreparedRun,
  type RecordedOutcome,
  type RunEngine,
} from './replay/run-recorded.ts'

/*
 * One run of a case in seven steps:
 *
 * 1. choose answers: `prepare/choose-source.ts`, a part of {@link prepare}
 * 2. stage a workspace: `session/stage-agent.ts`
 * 3. lease the gateway: `session/run-agent.ts`
 * 4. run the engine: `session/run-session.ts`
 * 5. collect what it left, while its workspace is there: {@link execute}
 * 6. build the record of the run: `session/build-agent-run.ts`
 * 7. compare it with its recording: `replay/run-recorded.ts`
 *
 * Tests in TypeScript take the same steps, and assess their runs by their matchers.
 */

/** How a session is run and watched. */
export interface Observation {
  /** Fields added to the request of the engine. */
  readonly further?: Pick<AgentRequest, 'endsWith' | 'handOver' | 'onStart' | 'resume'>
  /** Looks at the workspace before it is removed; the files that the run changed are kept as evidence then. */
  readonly inspect?: AgentRequest['collect']
  /** Looks at it after each of several turns, before the next message is sent. */
  readonly inspectTurn?: AgentRequest['collectTurn']
  /** Runs the engine. Default: one session. */
  readonly engine?: RunEngine
  /** Decides whether a new recording replays to the same outcome. */
  readonly outcomeOf: OutcomeOf
}

/** Prepares a run: whatever can be known to be wrong is known before anything is started. */
export function prepare(context: RunContext, run: Run): Promise<PreparedRun | SkippedRun> {
  const { suite, evalCase, label, index, recorded = index, settings, signal, sabotages } = run
  return prepareRun({
    suite,
    evalCase,
    label,
    run: recorded,
    engineName: run.planned.engineName,
    settings,
    signal,
    packages: context.packages,
    inputs: context.inputs,
    ...(sabotages === undefined ? {} : { sabotages }),
  })
}

/** One execution that has ended. */
export interface ExecutedRun {
  readonly outcome: RecordedOutcome
  readonly review: RecordingReview
  readonly evidence: EvidenceKeeper
  /** Notices of the package, staging, the recording and the evidence. Complete once all evidence is written. */
  readonly notices: () => readonly string[]
  /** Writes the recording, with the judge's answers where there are new ones. */
  readonly keepRecording: (judge: RecordedJudge | null) => void
}

/** Executes a prepared run, keeps its evidence and compares it with its recording. */
export async function execute(
  { journal, redactor }: RunContext,
  run: Run,
  prepared: PreparedRun,
  observation: Observation,
): Promise<ExecutedRun> {
  const { planned, index, sabotages, settings } = run
  const evidence = openEvidence(settings, planned, index, redactor)
  const request: AgentRequest = {
    ...prepared.request,
    // A run that still waits for its turn when the process is killed never started.
    ...(sabotages === undefined ? { onStart: () => journal.start(planned) } : {}),
    ...observation.further,
    ...collectors(prepared, evidence, observation),
  }
  const outcome = await runRecorded({ ...prepared, request }, observation.outcomeOf, observation.engine)
  throwUnpaid(outcome)
  const prompt = wholePrompt(prepared.request.evalCase)
  await evidence.keep((folder, redact) => writeRunFiles(folder, prompt, outcome.run, redact))
  const review = reviewRecording(outcome, prepared.source, settings)
  return {
    outcome,
    review,
    evidence,
    notices: () => [
      ...prepared.findings,
      ...outcome.warnings,
      ...(upstreamKind(prepared.source.answers) === 'scenario' ? scenarioNotices(outcome.run) : []),
      ...review.notices,
      ...evidence.lost,
    ],
    keepRecording: (judge) => keepRecording(prepared.source.recordingFile, outcome, judge),
  }
}

// Keeps the files that the run changed, and lets the kind of case look at the workspace, before it is removed.
function collectors(
  { request: { suite, evalCase } }: PreparedRun,
  evidence: EvidenceKeeper,
  { inspect, inspectTurn }: Observation,
): Pick<AgentRequest, 'collect' | 'collectTurn'> {
  const collect: AgentRequest['collect'] = async (root, run) => {
    await evidence.keepArtifacts(root, run.files)
    const { packageRoot } = suite
    const originals =
      packageRoot === undefined ? [] : await readBefore({ suite: { ...suite, packageRoot }, evalCase }, run.files)
    await evidence.keep((folder, redact) => keepTextsBefore(folder.artifacts, originals, redact))
    await inspect?.(root, run)
  }
  const collectTurn: AgentRequest['collectTurn'] = async (root, ended, turn) => {
    await evidence.keepTurn(root, ended.files, turn)
    await inspectTurn?.(root, ended, turn)
  }
  return {
    ...(inspect === undefined ? {} : { collect }),
    ...(inspectTurn === undefined ? {} : { collectTurn }),
  }
}

// Not even its first request was paid: the session is as good as never started.
function throwUnpaid({ run: { problem, problemCode, costUsd } }: RecordedOutcome): void {
  if (problemCode === 'budget-spent' && costUsd === 0) throw new AgentEvalsError(problemCode, problem ?? '')
}
