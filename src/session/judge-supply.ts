import { readJudgePart } from '../recordings/judge-part.ts'
import type { RecordedOutcome } from '../run-recorded.ts'
import type { PlayedSource } from './choose-source.ts'
import type { JudgeSupply } from './judge-case.ts'

/** Who answers the judge of a run: what answered the run, or the recording as long as the judge is asked the same. */
export function judgeSupply(
  { judgeSource, recording, replay }: Pick<RecordedOutcome, 'judgeSource' | 'recording' | 'replay'>,
  { recordingFile, rejudge, recordCommand }: Pick<PlayedSource, 'recordCommand' | 'recordingFile' | 'rejudge'>,
): JudgeSupply {
  if (recording === null || replay === null) return judgeSource
  return {
    kind: 'recording',
    file: recordingFile,
    find: (hash) => readJudgePart(recording, hash),
    upstream: rejudge,
    advice: `Ask it again: ${recordCommand}`,
  }
}
