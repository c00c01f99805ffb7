import { plainName } from '../transcript/select.ts'
import type { Position } from '../lib/documents/document.ts'
import type { ErrorCode } from '../lib/errors.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import type { Zod, ZodType } from './schemas.ts'
import type { Target, TargetContent } from './targets.ts'

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
  /** Why it is errored, where that is not its evidence. */
  readonly code?: ErrorCode
}

/** What a check made of a run. */
export interface Finding extends Pick<CheckResult, 'actual' | 'code' | 'expected' | 'outcome' | 'weak'> {
  /** One sentence on why it did not pass. */
  readonly message?: string
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
  /** Names in it that the session has to know. */
  names?(fields: Fields): AskedNames
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

/** A command of the suite, and its own files. */
export interface ScriptFields extends TextFields {
  /** Relative to `folder`. */
  readonly files: readonly string[]
  /** Seconds. */
  readonly timeout: number
  /** Absolute path; empty until the check has its place. */
  readonly folder: string
}

/** How a script ended. */
export interface ScriptEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Why it has no result, whatever it printed; `null` where it has one. */
  readonly problem: string | null
}

/** A run as checks see it. */
export interface SeenRun {
  readonly run: Omit<AgentRun, 'workspace'>
  /** The event of the hook that the case is about; `null` where it is about none. */
  readonly hook: string | null
  /** A file of the workspace as it is at the end. */
  readonly read: (path: string) => SeenFile
  /** Finds what a check looks at instead of the output. */
  readonly look?: (target: Target) => TargetContent
  /** Runs a script over the workspace; absent where there is none. */
  readonly runScript?: RunScript
}

/** Runs a script of the suite over the final workspace. */
export type RunScript = (script: ScriptFields) => Promise<ScriptEnd>

/** The entry at a path; `text` is `null` for a file that is no text or may not be read. `unknown`: anything else. */
export type SeenFile = { readonly text: string | null } | 'missing' | 'unknown'

/** A check that only asks for a text. */
export interface TextFields {
  readonly value: string
}

/** Names that a check asks about. A misspelt one is never used, so what a check says of it means nothing. */
export interface AskedNames {
  readonly tools?: readonly string[]
  readonly skills?: readonly string[]
  /** Patterns that may hold the name of a skill. */
  readonly skillWords?: readonly string[]
}

/**
 * All names of the skill that a check calls by one of them.
 *
 * @internal
 */
export function namesOfSkill(name: string, { names }: Pick<AgentRun, 'names'>): readonly string[] {
  const groups = (names?.skills ?? []).filter((group) => group.some((one) => plainName(one) === plainName(name)))
  const qualified = new Set(groups.flat().filter((one) => one.includes(':')))
  return name.includes(':') && qualified.size > 1 ? [name] : [name, ...groups.flat()]
}

/**
 * Tells if a call of the transcript is of the tool of this name, which may be the engine's own.
 *
 * @internal
 */
export function isToolNamed(tool: string, name: string, { names }: Pick<AgentRun, 'names'>): boolean {
  if (keyOfTool(tool) === keyOfTool(name)) return true
  return Object.entries(names?.tools ?? {}).some(
    ([own, shown]) => keyOfTool(own) === keyOfTool(name) && keyOfTool(shown) === keyOfTool(tool),
  )
}

/** A name of a tool without what engines write otherwise, above all in those of MCP servers. */
export function keyOfTool(name: string): string {
  return name
    .toLowerCase()
    .replace(/^mcp__/, '')
    .replaceAll(/[^a-z0-9]/g, '')
}

/** Such as ` 3 times`, with a leading space; empty where no count is asked for. */
export function timesOf(times: number | undefined): string {
  return times === undefined ? '' : ` ${countOf(times)}`
}

/** Such as `once` or `3 times`. */
export function countOf(times: number): string {
  return times === 1 ? 'once' : `${times} times`
}
