import { findReplayProblem, replayNotices, type ReplayProblem } from './decide-replay.ts'
import type { CaseResult } from '../results/result.ts'
import type { RecordedOutcome } from './run-recorded.ts'
import type { RunSettings } from '../settings.ts'
import type { PlayedSource } from './played-source.ts'

/** What a result says of the recording behind it. */
export interface RecordingReview {
  /** Why the run cannot speak for its case; `null` when it can. */
  readonly problem: ReplayProblem | null
  readonly recorded: CaseResult['recorded']
  readonly notices: readonly string[]
}

/** Judges what became of a case's recording: whether it still holds, or could not be made. */
export function reviewRecording(
  { run, recording, replay, notRecorded }: RecordedOutcome,
  { recordCommand }: Pick<PlayedSource, 'recordCommand'>,
  { drift, source }: Pick<RunSettings, 'drift' | 'source'>,
): RecordingReview {
  const recorded =
    recording === null
      ? null
      : { at: recording.recordedAt, origin: recording.origin, engineVersion: recording.engine.version }
  if (notRecorded !== null) {
    const message = `The run was not recorded, because its replay differs: ${notRecorded}`
    // Who asked for a recording has none; who did not has a result all the same.
    return source === 'record'
      ? { problem: { code: 'not-replayable', message }, recorded, notices: [] }
      : { problem: null, recorded, notices: [message] }
  }
  if (recording === null || replay === null) return { problem: null, recorded, notices: [] }
  const replayed = { recording, replay, run, drift, recordCommand }
  return { problem: findReplayProblem(replayed), recorded, notices: replayNotices(replayed) }
}
