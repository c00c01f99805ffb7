import type { Position } from '../lib/documents/document.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import type { Zod, ZodType } from './schemas.ts'
import type { ScriptEnd, ScriptFields } from './script.ts'

/** How a deterministic check came out. `errored`: the evidence it needs is missing. */
export interface CheckResult {
  readonly kind: string
  readonly value: string | boolean
  readonly at: Position
  readonly outcome: 'passed' | 'failed' | 'errored'
  /** One sentence for a person; empty when passed. */
  readonly message: string
  /** For Vitest's diff. */
  readonly expected?: string
  readonly actual?: string
  /** Nobody wrote it: what the case is about asks for it. */
  readonly implied?: true
  /** The turn that it is about, from 1; absent for the case as a whole. */
  readonly turn?: number
  /** Why the check itself proves little; absent when it is fine. */
  readonly weak?: string
}

/** What a check made of a run. */
export interface Finding extends Pick<CheckResult, 'actual' | 'expected' | 'outcome' | 'weak'> {
  /** One sentence on why it did not pass. Default: `seen`. */
  readonly message?: string
  /** One sentence on what was looked at, for an expectation in words. */
  readonly seen?: string
}

/** What every check has: the text, path or name that it is about. */
export interface CheckFields {
  readonly value: boolean | number | string
}

/** One kind of check, and everything that is particular to it. Its functions are methods, so that one list holds all kinds. */
export interface CheckKind<Fields extends CheckFields> {
  /**
   * The field of `expected` in a case file that has its name; in a list, one check each. Absent: no case file has it.
   *
   * @internal No user has the library of schemas.
   */
  readonly schema?: (zod: Zod) => ZodType<Fields | readonly Fields[]>
  run(fields: Fields, seen: SeenRun): Finding
  /** One sentence, for `list`. */
  describe(fields: Fields): string
  /** Expectations in words that ask just this. */
  readonly sentences?: readonly Sentence<Fields>[]
  /** Files of the workspace that `run` looks into. */
  reads?(fields: Fields, run: SeenRun['run']): readonly string[]
  /** What is wrong with it, such as a broken schema; asked before anything is spent. `null`: nothing. */
  problem?(fields: Fields): Promise<string | null>
  /** Adds the folder of the suite that its paths are relative to. */
  place?(fields: Fields, folder: string): Fields
  /** Decides it with more than `run` has, while the workspace is still there. */
  observe?(fields: Fields, seen: SeenRun): Promise<Finding>
  /** What the report calls it, where that is not its value. */
  label?(fields: Fields): string
  /** Whether it fails for a run in which nothing happens, so that such a failure says nothing about the agent. */
  readonly needsOutput?: true
}

/** A pattern of the whole sentence, and what its groups ask; `null` where they only look like it. */
export type Sentence<Fields> = readonly [pattern: string, read: (parts: Parts) => Fields | null]

/** The groups of a pattern. */
export type Parts = Readonly<Record<string, string | undefined>>

/** A run as checks see it. */
export interface SeenRun {
  readonly run: Omit<AgentRun, 'workspace'>
  /** The event of the hook that the case is about; `null` where it is about none. */
  readonly hook: string | null
  /** A file of the workspace as it is at the end. */
  readonly read: (path: string) => SeenFile
  /** Runs a script over the workspace; absent where there is none. */
  readonly runScript?: RunScript
}

/** Runs a script of the suite over the final workspace. */
export type RunScript = (script: ScriptFields) => Promise<ScriptEnd>

/** The entry at a path; `text` is `null` for a file that is none. `unknown`: no regular file, or one that nobody has read. */
export type SeenFile = { readonly text: string | null } | 'missing' | 'unknown'

/** A check that only asks for a text. */
export interface TextFields {
  readonly value: string
}
