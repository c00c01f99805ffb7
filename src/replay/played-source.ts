import type { Recording } from '../recordings/recording.ts'
import type { AnswerSource, UpstreamSource } from '../gateway/leases/lease.ts'
import type { ResultSource } from '../results/result.ts'

export interface PlayedSource {
  readonly name: ResultSource
  readonly answers: AnswerSource
  /** Model that the engine has to ask for; `null` leaves it to the engine. */
  readonly model: string | null
  /** The scenario, if there is one. */
  readonly scenario: ScenarioFile | null
  /** Absolute path of the case's recording, whether it exists or not. */
  readonly recordingFile: string
  /** The recording that is played; `null` when none is. */
  readonly recording: Recording | null
  /** What to do should the recording prove stale: `null` says that no live run may be made of it. */
  readonly whenStale: RecordLive | null
  /** Who judges again where the question to the judge has changed; `null` when no judge may be asked. */
  readonly rejudge: UpstreamSource | null
  /** Command line that records the case. */
  readonly recordCommand: string
}

export interface ScenarioFile {
  /** Absolute path. */
  readonly file: string
  /** Hash of what it says to the agent: a recording of it is stale when this changes. */
  readonly hash: string
}

/** The source and model of a live run that is recorded. */
export interface RecordLive {
  readonly answers: AnswerSource
  readonly model: string | null
}
