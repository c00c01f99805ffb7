import type { z } from 'zod'
import type { recordingSchema } from './schema.ts'
import type { Usage } from '../transcript/transcript.ts'

/** The answers that one run of a case was given, in a file that is committed. It holds no header, key or host path. */
export type Recording = z.infer<typeof recordingSchema>

/** A hook's decision. */
export type RecordedHook = NonNullable<Recording['hooks']>[number]
/** What a hook told. */
export type RecordedWords = NonNullable<Recording['told']>[number]
export type RecordedThread = Recording['lanes'][number]
export type RecordedTurn = RecordedThread['turns'][number]
/** A text of ours as the model saw it. */
export type RecordedText = RecordedTurn['sees'][number]
/** A tool's result: its first 2 KB. */
export type RecordedResult = RecordedTurn['results'][number]
/** A text as it is kept, with which of its lines are held against another run. */
export type RecordedLines = Omit<RecordedResult, 'id' | 'isError'>
export type RecordedJudge = NonNullable<Recording['judge']>
export type JudgeHash = RecordedJudge['hash']

/** Of an answer that says nothing of it, such as a scenario's. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
