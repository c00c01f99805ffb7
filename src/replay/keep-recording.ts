import { withJudgePart } from '../recordings/judge-part.ts'
import { writeRecording } from '../recordings/store.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import type { RecordedOutcome } from './run-recorded.ts'

/** Writes what is new: a recording that was made, and new answers of the judge. A replay that held is left as it is. */
export function keepRecording(
  file: string,
  { recording, replay, folders }: Pick<RecordedOutcome, 'folders' | 'recording' | 'replay'>,
  judge: RecordedJudge | null,
): void {
  if (recording === null || (replay !== null && judge === null)) return
  writeRecording(file, judge === null ? recording : withJudgePart(recording, judge, folders))
}
