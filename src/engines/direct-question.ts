import type { AgentPackage } from '../packages/package.ts'
import type { Target } from '../suites/suite.ts'

/** What a question is made from. */
export interface DirectRequest {
  readonly package: AgentPackage
  readonly target: Target | null
  readonly prompt: string
}

/** One question to a model. */
export interface DirectQuestion {
  readonly system: string
  readonly user: string
  /** What the model is shown of the package, by path below it. */
  readonly shown: readonly string[]
}
