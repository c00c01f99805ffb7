/** One command of `agent-evals`. */
export interface Command {
  readonly name: string
  /** What follows the name, such as `[filter...]`. */
  readonly usage: string
  /** One line for the list of commands. */
  readonly summary: string
  /** The rest of its help. */
  readonly details: readonly string[]
  /** Runs it; resolves to the exit code. Throws {@link AgentEvalsError} for what the user can fix. */
  run(argv: readonly string[]): Promise<number>
}
