import type { InputRole } from '../inputs/input.ts'
import type { AnswerBlock, StopReason } from '../conversation/model.ts'
import type { JsonValue } from '../json.ts'
import type { HookDecision, Usage } from '../transcript/transcript.ts'

/** The answers that one run of a case was given, in a file that is committed. It holds no header, key or host path. */
export interface Recording {
  readonly version: 1
  /** ISO 8601 in UTC. */
  readonly recordedAt: string
  /** Id of the model that answered live; `scenario` when no model spoke. */
  readonly origin: string
  readonly engine: { readonly name: string; readonly version: string | null }
  /** Such as `linux-x64`. */
  readonly platform: string
  /** Kind of credential the engine was given: some engines behave differently by it. */
  readonly credential: 'api-key' | 'auth-token' | 'oauth'
  readonly model: RecordedModel
  /** What the answers took when they were recorded; `null` when unknown. */
  readonly usage: Usage | null
  readonly costUsd: number | null
  readonly inputs: readonly RecordedInput[]
  readonly lanes: readonly RecordedThread[]
  /** What hooks decided that did not simply let a session go on; `null` where it was not noted. */
  readonly hooks: readonly RecordedHook[] | null
  /** The judge's answers; `null` when none was asked. */
  readonly judge: RecordedJudge | null
  /** Answers of further judges of the same run: tests in TypeScript may ask several. */
  readonly moreJudges?: readonly RecordedJudge[]
}

export interface RecordedModel {
  /** As in the option `model`; `null` when the engine chose. */
  readonly given: string | null
  /** Id that the engine asked the API for. */
  readonly asked: string | null
  /** Id that the API answered as. */
  readonly observed: string | null
}

export interface RecordedInput {
  readonly path: string
  readonly role: InputRole
  /** The first 16 digits of the SHA-256. */
  readonly hash: string
}

/** A hook's decision. */
export interface RecordedHook {
  /** Universal event name, such as `pre-tool-use`. */
  readonly event: string
  readonly tool: string | null
  readonly decision: HookDecision
}

/** One conversation of the run. Its turns are found again by thread and ordinal alone. */
export interface RecordedThread {
  /** `main`, `agent` or `side:<kind>`. */
  readonly lane: string
  /** What a sub-agent was given; `null` for the others. Their order separates equal ones. */
  readonly given: string | null
  readonly turns: readonly RecordedTurn[]
}

/** One different request of a thread and its answer. */
export interface RecordedTurn {
  /** Texts of ours that this request showed the model for the first time, or differently than before. */
  readonly sees: readonly RecordedText[]
  /** Tool results that came with this request. */
  readonly results: readonly RecordedResult[]
  readonly answer: RecordedAnswer
}

/** A text of ours as the model saw it. */
export interface RecordedText {
  /** File, relative to the package. */
  readonly path: string
  /** Such as `prompt`, `description`, `body` or `tool mcp__pdf__count`. */
  readonly part: string
  /** Short hashes of its lines in order, separated by spaces. */
  readonly lines: string
}

/** A tool's result: its first 2 KB. */
export interface RecordedResult {
  readonly id: string
  readonly isError: boolean
  readonly lines: readonly string[]
  /** Hash of what follows the 2 KB; `null` when nothing does, or when it did not prove stable. */
  readonly rest: string | null
  /** Numbers of the lines that are different in every run, from 1; `varies` when even their number is. */
  readonly unstable: readonly number[]
  readonly varies: boolean
}

export interface RecordedAnswer {
  readonly content: readonly AnswerBlock[]
  readonly stopReason: StopReason
  readonly usage: Usage
}

/** Answers of the judge, as the judge's own part of the program reads them. */
export interface RecordedJudge {
  readonly hash: JudgeHash
  /** What each statement is about, as the judge said before it saw the run; absent where nobody said it. */
  readonly kinds?: readonly StatementKind[] | undefined
  readonly answers: readonly JsonValue[]
}

/** What can prove a statement. Decided from statement and task alone, before any run is seen. */
export interface StatementKind {
  /**
   * words: what the agent tells its user. work: what files, or code in the answer, hold. deeds: what it did. either:
   * depends on the run. nothing: demands nothing.
   */
  readonly about: 'deeds' | 'either' | 'nothing' | 'words' | 'work'
  /** Demands that something is not there or was not done. */
  readonly absent: boolean
  readonly by: 'judge' | 'nobody'
}

/** What the judge was asked. Its answers hold only while all of it is the same. */
export interface JudgeHash {
  readonly criteria: string
  readonly prompt: string
  readonly model: string
}

/** Of an answer that says nothing of it, such as a scenario's. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
