import type { JudgeHash, RecordedJudge, Recording } from './recording.ts'

/** The judge's recorded answers; `null` when there are none or the judge was asked something else. */
export function readJudgePart(recording: Recording, hash: JudgeHash): RecordedJudge | null {
  const { judge } = recording
  if (judge === null) return null
  const isSame =
    judge.hash.criteria === hash.criteria && judge.hash.prompt === hash.prompt && judge.hash.model === hash.model
  return isSame ? judge : null
}

/** The recording with other answers of the judge; what the agent did stays as it is. */
export function withJudgePart(recording: Recording, judge: RecordedJudge | null): Recording {
  return { ...recording, judge }
}
