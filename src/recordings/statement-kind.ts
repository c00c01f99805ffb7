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
