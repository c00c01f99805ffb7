import { isSameJudge, withJudgeParts } from '../../recordings/judge-part.ts'
import { writeRecording } from '../../recordings/store.ts'
import { judgeSource } from './judge-source.ts'
import type { RecordedJudge } from '../../recordings/recording.ts'
import type { RecordedOutcome } from '../../replay/run-recorded.ts'
import type { JudgeSupply } from './judge-case.ts'
import type { PlayedSource } from '../../replay/played-source.ts'

/** The judges of a test's run. */
export interface KeptJudges {
  readonly supply: JudgeSupply
  /** Takes new answers of a judge; `null` when there are none. */
  keep(judge: RecordedJudge | null): void
}

/**
 * Answers the judges of a run, and keeps their answers in its recording. What was not asked for again is left out
 * as soon as something new is written.
 */
export function createJudgeRecorder(
  outcome: Pick<RecordedOutcome, 'folders' | 'recording' | 'upstream'>,
  source: Pick<PlayedSource, 'recordCommand' | 'recordingFile' | 'rejudge'>,
): KeptJudges {
  const { recording, folders } = outcome
  const supply = judgeSource(outcome, source)
  const asked: RecordedJudge[] = []
  let isNew = false
  const write = (): void => {
    if (isNew && recording !== null) writeRecording(source.recordingFile, withJudgeParts(recording, asked, folders))
  }
  const find = (hash: RecordedJudge['hash']): RecordedJudge | null => {
    const stored = supply.kind === 'recording' ? supply.find(hash) : null
    if (stored === null || asked.some((one) => isSameJudge(one.hash, stored.hash))) return stored
    asked.push(stored)
    write()
    return stored
  }
  return {
    supply: supply.kind === 'recording' ? { ...supply, find } : supply,
    keep(judge) {
      if (judge === null) return
      asked.push(judge)
      isNew = true
      write()
    },
  }
}
