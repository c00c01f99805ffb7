import type { Issue, Position } from '../../lib/documents/document.ts'
import type { JsonObject } from '../../lib/json.ts'

/** The formats of the free tests: what needs no model. One file each in `formats/`. */
export type TestFormat = 'command-test' | 'hook-test' | 'skill-test'

/** One file of free tests. */
export interface TestSuite {
  readonly format: TestFormat
  /** Absolute path of the suite file. */
  readonly file: string
  /** Absolute path of the package that owns the suite. */
  readonly packageRoot: string
  /** Absolute path of the part that is tested: the skill's folder, `hooks/` or `commands/`. */
  readonly partDir: string
  readonly config: TestConfig
  readonly cases: readonly AssertCase[]
  /** Every mistake and remark of the file and of its config file. */
  readonly issues: readonly Issue[]
}

/** What `test-config.json` says. */
export interface TestConfig {
  /** Absolute path; `null` when there is no such file and all values are defaults. */
  readonly file: string | null
  /** Seconds per case. */
  readonly timeout: number
  /** Added to the environment of the scripts. */
  readonly env: Readonly<Record<string, string>>
}

/** One free test: what is run, and what must come out. Plain JSON. */
export type AssertCase = BrokenTest | RunnableTest

/** A free test without a mistake. */
export type RunnableTest = CommandTest | HookTest | SkillTest

/** What every free test has. */
export interface SharedFields {
  /** Unique among the tests of its part. */
  readonly id: string
  /** The name of its test. */
  readonly name: string
  readonly description: string | null
  /** Expectations in the order of the file. */
  readonly assertions: readonly Assertion[]
  readonly at: Position
  /** Where the part that is run is written: failures of the run itself point there. */
  readonly runAt: Position
}

/** An entry of a list of tests that has mistakes. */
export interface BrokenTest extends SharedFields {
  readonly kind: 'broken'
  readonly issues: readonly Issue[]
}

/** A script of a skill. */
export interface SkillTest extends SharedFields {
  readonly kind: 'skill'
  /** Shell command, relative to the skill's folder. */
  readonly command: string
  /** `null`: no standard input. */
  readonly stdin: string | null
  /** Files that must exist, relative to the skill's folder. */
  readonly files: readonly { readonly path: string; readonly at: Position }[]
}

/** A group of hooks. */
export interface HookTest extends SharedFields {
  readonly kind: 'hook'
  /** Universal event name. */
  readonly event: string
  /** Index of the group in the event's list. */
  readonly hookIndex: number
  /** The event as the format spells it, overrides applied. */
  readonly payload: JsonObject
}

/** A command's template. */
export interface CommandTest extends SharedFields {
  readonly kind: 'command'
  /** Name of the command. */
  readonly command: string
  readonly variables: Readonly<Record<string, string>>
}

/** One expectation as declared. */
export type Assertion = { readonly at: Position } & (
  | { readonly kind: 'exit-code'; readonly value: number }
  | {
      readonly kind: 'contains' | 'error-contains' | 'not-contains' | 'stderr-contains' | 'stdout-contains'
      readonly value: string
    }
  | { readonly kind: 'stdout-json'; readonly value: JsonObject }
)
