import type { FixtureBase } from '../formats/suite.ts'

/** What an input may be to the case that depends on it. */
export const INPUT_ROLES = [
  'agent',
  'case',
  'command',
  'config',
  'fixture',
  'hook',
  'instructions',
  'lock',
  'manifest',
  'mcp',
  'overlay',
  'package-file',
  'rule',
  'scenario',
  'skill',
  'vault',
  'workspace-file',
] as const

export type InputRole = (typeof INPUT_ROLES)[number]

/**
 * One file that a case depends on. The one list of them serves staging, watch, `related`,
 * staleness of recordings and the report.
 */
export interface Input {
  /** Absolute path. */
  readonly file: string
  /** Path relative to the package, `/`-separated; what reports and recordings hold. */
  readonly path: string
  readonly role: InputRole
  /** Which part has it, such as the skill's name; `null` for files of the whole package. */
  readonly part: string | null
  /** SHA-256 of the content, hex. */
  readonly hash: string
  /** Of a fixture: the folder below which it was found, where several are looked at. */
  readonly base?: FixtureBase
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
