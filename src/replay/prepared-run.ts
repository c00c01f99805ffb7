import type { PlayedSource } from './played-source.ts'
import type { Input } from '../inputs/input.ts'
import type { AgentRequest } from '../agent/agent-request.ts'

/** A run of which everything is known that can be known before it starts. */
export interface PreparedRun {
  readonly request: AgentRequest
  readonly source: PlayedSource
  readonly inputs: readonly Input[]
  /** What is odd about the package and the suite, one sentence each. */
  readonly findings: readonly string[]
}
