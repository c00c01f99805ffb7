import type { FixtureBase } from '../formats/suite.ts'

/** What an input may be to the case that depends on it. A case is a file that says what it asks. */
export const INPUT_ROLES = ['case', 'fixture', 'overlay', 'package', 'scenario', 'vault'] as const

export type InputRole = (typeof INPUT_ROLES)[number]

/** The part of a package that has a file. */
export interface FilePart {
  /** A text is one that engines read by themselves: the instructions and what they import. */
  readonly kind: 'agent' | 'other' | 'rule' | 'skill' | 'text'
  /** `null` where it is none that was read, such as one that was just added. */
  readonly name: string | null
}

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
  /** `null` for a file that is in no part of a package. */
  readonly part: FilePart | null
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
