import { runRecorded, type OutcomeOf, type RecordedOutcome, type RunEngine } from '../replay/run-recorded.ts'
import { keepRecording } from '../replay/keep-recording.ts'
import { reviewRecording, type RecordingReview } from '../replay/review-recording.ts'
import { writeEvidence } from '../report/export/write-evidence.ts'
import { readBefore, type BeforeText } from './assess/before-texts.ts'
import { keepTextsBefore } from '../results/kept-files.ts'
import { openEvidence, type RunEvidence } from '../results/run-evidence.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { AgentRequest } from '../agent/agent-request.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import type { PreparedRun } from '../replay/prepared-run.ts'
import type { Journal } from '../results/journal/journal.ts'
import type { Redactor } from '../results/redact.ts'
import type { PlannedCase } from '../results/result.ts'
import type { RunSettings } from '../settings.ts'

/** What one execution needs beside the prepared run. */
export interface Execution {
  readonly planned: PlannedCase
  /** Which of the case's runs, from 1. */
  readonly index: number
  readonly settings: RunSettings
  readonly journal: Pick<Journal, 'start'>
  readonly redactor: Redactor
  /** What the caller adds to the request of the engine. */
  readonly further?: Pick<AgentRequest, 'endsWith' | 'handOver' | 'resume'>
  /** Looks at the workspace before it is removed; the files that the run changed are kept as evidence then. */
  readonly inspect?: AgentRequest['collect']
  /** Runs the engine. Default: one session. */
  readonly run?: RunEngine
  /** Decides whether a new recording replays to the same outcome. */
  readonly outcomeOf: OutcomeOf
}

/** One execution that has ended. */
export interface ExecutedRun {
  readonly outcome: RecordedOutcome
  readonly review: RecordingReview
  readonly evidence: RunEvidence
  /** Notices of the package, staging, the recording and the evidence. Complete once all evidence is written. */
  readonly notices: () => readonly string[]
  /** Writes the recording, with the judge's answers where there are new ones. */
  readonly keepRecording: (judge: RecordedJudge | null) => void
}

/** Executes a prepared run, keeps its evidence and reviews its recording: the same steps for a case, a query and a test. */
export async function executeRun(prepared: PreparedRun, execution: Execution): Promise<ExecutedRun> {
  const { planned, index, settings, journal, redactor, further, inspect, outcomeOf } = execution
  const evidence = openEvidence(settings, planned, index, redactor)
  const collect: AgentRequest['collect'] = async (root, run) => {
    await evidence.keepArtifacts(root, run.files)
    const originals = await originalsOf(prepared.request, run)
    await evidence.keep((folder, redact) => keepTextsBefore(folder.artifacts, originals, redact))
    await inspect?.(root, run)
  }
  const request: AgentRequest = {
    ...prepared.request,
    ...further,
    // A run that still waits for its turn when the process is killed never started.
    onStart: () => journal.start(planned),
    ...(inspect === undefined ? {} : { collect }),
  }
  const outcome = await runRecorded({ ...prepared, request }, outcomeOf, execution.run)
  const { prompt } = prepared.request.evalCase
  await evidence.keep((folder, redact) => writeEvidence(folder, prompt, outcome.run, redact))
  const review = reviewRecording(outcome, prepared.source, settings)
  return {
    outcome,
    review,
    evidence,
    notices: () => [...prepared.findings, ...outcome.warnings, ...review.notices, ...evidence.lost],
    keepRecording: (judge) => keepRecording(prepared.source.recordingFile, outcome, judge),
  }
}

async function originalsOf(
  { suite, evalCase }: PreparedRun['request'],
  { files }: Pick<AgentRun, 'files'>,
): Promise<readonly BeforeText[]> {
  const { packageRoot } = suite
  return packageRoot === undefined ? [] : readBefore({ suite: { ...suite, packageRoot }, evalCase }, files)
}
