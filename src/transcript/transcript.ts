import type { ErrorCode } from '../lib/errors.ts'
import type { JsonValue } from '../lib/json.ts'

/** Who stopped a tool call. */
export type Blocker = 'hook' | 'permission' | 'sandbox'

/** What a hook told somebody. `context` and `reason` are for the model, `message` is for the user. */
export interface HookWords {
  /** `input`, `output`: what it put in the place of a call's input or output, as JSON. */
  readonly what: 'context' | 'input' | 'message' | 'output' | 'reason'
  readonly text: string
  /** Whether the gateway saw the model get these words; without that they prove nothing. */
  readonly reachedModel: boolean
}

/** A hook's decision, by the way it was given. */
export type HookDecision = 'allowed' | 'blocked-exit-2' | 'denied-json' | 'failed' | 'invalid' | 'timed-out' | 'missing'

/** Where an event is known from: the model's answer, what a request gave the model, the engine alone, or a hook. */
export type EventOrigin = 'cli' | 'given to the model' | 'hook' | 'model'

/** What every event has before it has a number. What says nothing of its origin is the engine's. */
interface UnnumberedBase {
  /** The sub-agent that did it; `null` on the main thread. */
  readonly agent: string | null
  readonly from?: EventOrigin
}

interface EventBase extends UnnumberedBase {
  /** Position in the run, from 1. */
  readonly n: number
  readonly from: EventOrigin
}

/** What happened in a run, in order: one shape for every engine. */
export type TranscriptEvent = EventBase & EventParts

/** An event as a parser produces it, before it has a number. */
export type UnnumberedEvent = EventParts & UnnumberedBase

type EventParts =
  | { readonly kind: 'message'; readonly text: string }
  /** A message of the user, in a conversation of several. `turn` is its number, from 1. */
  | { readonly kind: 'prompt'; readonly turn: number; readonly text: string }
  | { readonly kind: 'tool-call'; readonly id: string; readonly tool: string; readonly input: JsonValue }
  | {
      readonly kind: 'tool-result'
      readonly id: string
      readonly text: string
      readonly isError: boolean
      /** Who stopped the call; `null` when it ran. */
      readonly blockedBy: Blocker | null
    }
  | { readonly kind: 'skill-used'; readonly skill: string; readonly via: 'command' | 'read' | 'tool' }
  | {
      readonly kind: 'hook'
      /** Universal event name, such as `pre-tool-use`. */
      readonly event: string
      readonly tool: string | null
      readonly decision: HookDecision
      readonly exitCode: number | null
      /** The hook's reason: stderr, or the reason of its JSON. */
      readonly reason: string
      /** The engine did not wait for it, so it allowed whatever it did. */
      readonly async?: true
      /** The engine's own matcher of its group, `null` for every tool; absent where it is not known. */
      readonly matcher?: string | null
      /** Absent where it told nobody anything. */
      readonly told?: readonly HookWords[]
    }
  | { readonly kind: 'api-retry'; readonly status: number | null; readonly message: string }
  | { readonly kind: 'notice'; readonly text: string }

/** How an answer of a model ended. */
export type StopReason = 'end-turn' | 'tool-calls' | 'max-tokens' | 'refusal'

/** Tokens as the API counted them. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

/** Of an answer that says nothing of it, such as a scenario's. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** How a run ended. Only `completed` can pass or fail; the others are errors of the run. */
export type RunStatus = 'completed' | 'timed-out' | 'cancelled' | 'api-error' | 'limit-reached' | 'crashed'

/** The result of one execution of a case by an engine. Checks, judges and matchers receive it. Plain JSON. */
export interface AgentRun {
  readonly engine: string
  /** Version the CLI reported; `null` when it did not. */
  readonly engineVersion: string | null
  readonly status: RunStatus
  /** One sentence on why the run did not complete; `null` when it did. */
  readonly problem: string | null
  /** Stable reason; `null` when it completed. */
  readonly problemCode: ErrorCode | null
  readonly exitCode: number | null
  readonly signal: string | null
  readonly sessionId: string | null
  /** Requested model; `null` when the engine chose. */
  readonly modelAsked: string | null
  /** Model that answered, by the API; `null` when unknown. */
  readonly model: string | null
  /** Whether the transcript is what the gateway saw, or what the engine says of itself. */
  readonly record: 'engine' | 'gateway'
  /** Requests that are no part of the session, such as those for a summary; absent where the gateway saw none. */
  readonly otherRequests?: readonly OtherRequest[]
  /** All text of the main thread, in order. */
  readonly output: string
  /** The last message of the main thread. */
  readonly finalMessage: string
  readonly transcript: readonly TranscriptEvent[]
  /** Lines of the engine's own stream, for cases whose graders read them; absent where it has none, or none are asked for. */
  readonly trace?: readonly string[]
  /** Calls that files of `mocks/` answered, by the names that the agent called; absent where no tool was mocked. */
  readonly mockCalls?: readonly AnsweredCall[]
  /** Milliseconds after the start at which events were seen, by their number; absent where the engine shows none. */
  readonly eventTimes?: Readonly<Record<number, number>>
  readonly files: FileChanges
  readonly usage: Usage | null
  /** Cost in US dollars, from real usage; `null` when unknown, 0 for a replay or scenario. */
  readonly costUsd: number | null
  /** What the run took when it was recorded; absent for a run that is no replay. */
  readonly recorded?: RecordedFigures
  /**
   * Names that checks may ask about; absent where they are not known.
   *
   * @internal
   */
  readonly names?: SessionNames
  /** Requests that the gateway answered. */
  readonly requests: number
  readonly durationMs: number
  /** How the model's last answer on the main thread ended; absent where that is unknown. */
  readonly stopReason?: StopReason
  readonly sandbox: { readonly asked: string; readonly enforced: string }
  /** The last 2,000 characters of stderr. */
  readonly stderrTail: string
  /** Absolute path of the kept workspace; `null` once it is removed. */
  readonly workspace: string | null
  /** What the agent did after each message of the user, where it got several; events keep their numbers. */
  readonly turns?: readonly AgentRun[]
}

/**
 * The names of skills and tools that a session knew.
 *
 * @internal
 */
export interface SessionNames {
  /** Skills of the package and the session; the names in a group are those of one skill. */
  readonly skills: readonly (readonly string[])[]
  /**
   * Tools that the session offered, and those that any engine has, each with the name that the transcript has for it;
   * `null` where the tools of the engine are not known.
   */
  readonly tools: Readonly<Record<string, string>> | null
  /** MCP servers that should have started; `null` where tools of a server may be missing for another reason. */
  readonly servers: readonly string[] | null
  /** Why servers did not start, one sentence each, by their names; absent where all did. */
  readonly failedServers?: Readonly<Record<string, string>>
}

/** A run with its workspace, which is there until the test ends. */
export interface RunWithFiles extends AgentRun {
  /**
   * Reads a file of the workspace as it is now: bytes, or text with `utf8`.
   *
   * @throws {AgentEvalsError} `missing-input` where there is none; `workspace-failed` for what is no regular file, or
   * where the run was taken over from an earlier one and its workspace is gone.
   * @example const pdf = await run.readFile('output/report.pdf')
   */
  readFile(path: string): Promise<Buffer>
  readFile(path: string, encoding: 'utf8'): Promise<string>
}

/** What a recorded run took. */
interface RecordedFigures {
  readonly usage: Usage | null
  readonly costUsd: number | null
  /** Absent where the recording does not hold it. */
  readonly durationMs?: number
}

/** A request that the engine made for itself, or that a tool made. */
export interface OtherRequest {
  /** `side:<kind>`, or `main` for one that goes on from nothing of the session. */
  readonly thread: string
  readonly model: string
  /** The words that were answered; `null` where nothing was. */
  readonly answer: string | null
  /** How often it was sent; absent for once. */
  readonly times?: number
}

/** What a run did to the files of its workspace: paths relative to it, `/`-separated, sorted. */
export interface FileChanges {
  readonly created: readonly ChangedFile[]
  readonly modified: readonly ChangedFile[]
  readonly deleted: readonly string[]
  /** What is no regular file, such as a link, and what may hide files or have changed without its size. */
  readonly unreadable: readonly UnreadFile[]
}

/** Something in a workspace that nobody has read, and that is not as it was. */
export interface UnreadFile {
  /** `.` for the workspace, where not all of it was looked at. */
  readonly path: string
  /** Such as `is a symbolic link`. */
  readonly reason: string
  /** `other`: no regular file. `unread`: a regular file that may have changed. `hidden`: more files may be behind it. */
  readonly kind: 'hidden' | 'other' | 'unread'
  /** Whether nothing was at its path before. */
  readonly isNew: boolean
}

export interface ChangedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** SHA-256, hex; `null` where the content was not read, as that of a file beyond the cap. */
  readonly hash: string | null
}

/** A call of a tool that files answered in place of its server. */
export interface AnsweredCall {
  /** The folder of its mocks. */
  readonly server: string
  readonly tool: string
  readonly input: unknown
  readonly output: string
  /** `abort`: an expectation of the case ended the run. */
  readonly verdict: 'abort' | 'ok' | 'tool_error'
}
