/** Which versions of a program are driven, and with what. */
export interface VersionSupport {
  /** The oldest version that passes the tests. */
  readonly oldest: string
  /** npm package that holds the program. */
  readonly npmPackage: string
  readonly newerFlags: readonly NewerFlag[]
}

/** A flag of a command line that only newer versions know. */
export interface NewerFlag {
  /** As it begins an argument, such as `--verbose`. Its value, if any, is part of the same argument. */
  readonly flag: string
  /** The first version that knows it. */
  readonly since: string
  /** Says what a run without it lacks, as a sentence. */
  readonly lost: string
}
