/** What a suite is checked against and other rooms define. */
export interface KnownNames {
  /** Paths of a workspace that engines have to themselves: no file of a case may be there. */
  readonly ownPaths: readonly string[]
  /** How the variables of engines begin: a suite may set none of them. */
  readonly ownVariables: readonly string[]
  /** Checks the name of a judge: a problem in one sentence, or `null`. */
  readonly judgeProblem: (judge: string) => string | null
}

/** Where nothing depends on engines. */
export const NO_NAMES: KnownNames = { ownPaths: [], ownVariables: [], judgeProblem: () => null }

/** The engine of a case that names none. Apart from the list of engines: a worker needs the name alone. */
export const DEFAULT_ENGINE = 'claude-code'
