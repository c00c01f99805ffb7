import { JUDGE_PROVIDER_NAMES } from './judge-name.ts'

/** What a suite is checked against and other rooms define. */
export interface KnownNames {
  /** Paths of a workspace that engines have to themselves: no file of a case may be there. */
  readonly ownPaths: readonly string[]
  /** How the variables of engines begin: a suite may set none of them. */
  readonly ownVariables: readonly string[]
  /** Providers of judges. */
  readonly judges: readonly string[]
}

/** Where nothing depends on engines. */
export const NO_NAMES: KnownNames = { ownPaths: [], ownVariables: [], judges: JUDGE_PROVIDER_NAMES }
