import type { JudgeHash, RecordedJudge, Recording } from './recording.ts'

/** The judge's recorded answers; `null` when there are none or the judge was asked something else. */
export function readJudgePart(recording: Recording, hash: JudgeHash): RecordedJudge | null {
  const { judge, moreJudges = [] } = recording
  const all = judge === null ? [] : [judge, ...moreJudges]
  return all.find((one) => isSameJudge(one.hash, hash)) ?? null
}

/** Whether two judges were asked the same. */
export function isSameJudge(a: JudgeHash, b: JudgeHash): boolean {
  return a.criteria === b.criteria && a.prompt === b.prompt && a.model === b.model
}

/** The recording with other answers of the judge; what the agent did stays as it is. */
export function withJudgePart(recording: Recording, judge: RecordedJudge | null): Recording {
  return { ...recording, judge }
}

/** The recording with all that the judges of a test said, in the order in which they were asked. */
export function withJudgeParts(recording: Recording, judges: readonly RecordedJudge[]): Recording {
  const { moreJudges: _, ...rest } = recording
  const [judge = null, ...moreJudges] = judges
  return { ...rest, judge, ...(moreJudges.length === 0 ? {} : { moreJudges }) }
}
