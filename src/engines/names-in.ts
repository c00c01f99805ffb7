import { JUDGE_PROVIDER_NAMES } from '../suites/judge-name.ts'
import { allOf, type Engines } from './registry.ts'
import type { KnownNames } from '../suites/known-names.ts'

/** What suites are checked against where these lists count. */
export function namesIn({ engines, judgeProviders }: NamedLists = {}): KnownNames {
  return {
    ownPaths: allOf('ownPaths', engines),
    ownVariables: allOf('ownVariables', engines),
    judges: judgeProviders === undefined ? JUDGE_PROVIDER_NAMES : Object.keys(judgeProviders),
  }
}

interface NamedLists {
  readonly engines?: Engines
  readonly judgeProviders?: Readonly<Record<string, unknown>>
}
