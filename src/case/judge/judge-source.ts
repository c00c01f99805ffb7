import { readJudgePart } from '../../recordings/judge-part.ts'
import type { RecordedOutcome } from '../../replay/run-recorded.ts'
import type { JudgeSupply } from './judge-case.ts'
import type { PlayedSource } from '../../replay/played-source.ts'

/** Who answers the judge of a run: what answered the run, or the recording as long as the judge is asked the same. */
export function judgeSource(
  { upstream, recording, folders }: Pick<RecordedOutcome, 'folders' | 'recording' | 'upstream'>,
  { recordingFile, rejudge, recordCommand }: Pick<PlayedSource, 'recordCommand' | 'recordingFile' | 'rejudge'>,
): JudgeSupply {
  if (upstream !== null) return upstream
  return {
    kind: 'recording',
    file: recordingFile,
    find: (hash) => (recording === null ? null : readJudgePart(recording, hash, folders)),
    upstream: rejudge,
    advice: `Ask it again: ${recordCommand}`,
  }
}
