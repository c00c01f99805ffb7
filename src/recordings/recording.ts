import type { z } from 'zod'
import { nameFolders, placeFolders, type SessionFolders } from './paths.ts'
import type { recordingSchema } from './schema.ts'

/** The answers that one run of a case was given, in a file that is committed. It holds no header, key or host path. */
export type Recording = z.infer<typeof recordingSchema>

/** What a hook decided, and the first 2 KB of what it told. */
export type RecordedHook = NonNullable<Recording['hooks']>[number]
export type RecordedThread = Recording['lanes'][number]
export type RecordedTurn = RecordedThread['turns'][number]
/** A text of ours that the model saw. */
export type RecordedText = RecordedTurn['sees'][number]
/** A tool's result: its first 2 KB. */
export type RecordedResult = RecordedTurn['results'][number]
/** A text as it is kept, with which of its lines are held against another run. */
export type RecordedLines = Omit<RecordedResult, 'id' | 'isError'>
export type RecordedJudge = NonNullable<Recording['judge']>
export type JudgeHash = RecordedJudge['hash']

/**
 * The judge's recorded answers, with the paths of this session; `null` when there are none or the judge was asked
 * something else.
 */
export function readJudgePart(recording: Recording, hash: JudgeHash, folders?: SessionFolders): RecordedJudge | null {
  const { judge, moreJudges = [] } = recording
  const all = judge === null ? [] : [judge, ...moreJudges]
  const found = all.find((one) => isSameJudge(one.hash, hash)) ?? null
  // A judge quotes paths, and each session has its own.
  return found === null || folders === undefined ? found : { ...found, answers: placeFolders(found.answers, folders) }
}

/** Whether two judges were asked the same. */
export function isSameJudge(a: JudgeHash, b: JudgeHash): boolean {
  return a.criteria === b.criteria && a.prompt === b.prompt && a.model === b.model
}

/** The recording with other answers of the judge; what the agent did stays as it is. */
export function withJudgePart(recording: Recording, judge: RecordedJudge | null, folders?: SessionFolders): Recording {
  return { ...recording, judge: judge === null ? null : withNames(judge, folders) }
}

/** The recording with all answers of the judges of a test, in the order in which they were asked. */
export function withJudgeParts(
  recording: Recording,
  judges: readonly RecordedJudge[],
  folders?: SessionFolders,
): Recording {
  const { moreJudges: _, ...rest } = recording
  const [judge = null, ...moreJudges] = judges.map((one) => withNames(one, folders))
  return { ...rest, judge, ...(moreJudges.length === 0 ? {} : { moreJudges }) }
}

function withNames(judge: RecordedJudge, folders: SessionFolders | undefined): RecordedJudge {
  return folders === undefined ? judge : { ...judge, answers: nameFolders(judge.answers, folders) }
}
