import type { BeforeVersion } from '../formats/before.ts'
import type { SkillTrial } from '../formats/skill-evals/skill-suites.ts'
import type { AnswerReference } from '../recordings/reference.ts'
import type { RefusedSandbox, SandboxDecision } from '../sandbox/sandbox.ts'
import type { RunOptions } from './options.ts'

export type { Shard } from './case-options.ts'

/** What the main process tells every worker: plain JSON, the same for a whole run. The options of cases and runs are in it. */
export interface RunSettings extends Omit<RunOptions, 'cache' | 'sandbox'> {
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** Absolute path of the run folder, `.vitest/agent-evals/<run>/`. */
  readonly runFolder: string
  /** Unix socket on which workers ask for leases. */
  readonly controlSocket: string
  /** Name of the project. */
  readonly project: string
  /** Absolute path of the folder in which Vitest was started. */
  readonly cwd: string
  /** Command line that runs the project from there; a filter completes it. */
  readonly command: string
  readonly sandbox: RefusedSandbox | SandboxDecision
  /** Absolute path of the folder of results that are taken over; `null` where every case runs. */
  readonly cache: string | null
  /** Why this run must not go live unless asked to; `null` when it may. */
  readonly liveBlockedReason: string | null
  /** The recordings and scenarios that are believed, where not all are. */
  readonly requireLive?: AnswerReference
  /** The version that every case is compared with; absent where none is. */
  readonly before?: BeforeVersion
  /** Names, ids and globs of cases that gate nothing. */
  readonly quarantine: readonly string[]
  /** Whether a case without an answer is skipped, or errored as where `CI` is set. */
  readonly onMissingAnswers: 'errored' | 'skipped'
  /** What trigger queries are asked beside instead of the siblings of their skill; `null` in every usual run. */
  readonly trial: SkillTrial | null
  /** Versions of the programs that the main process has asked, as `engines/find/find` knows them. */
  readonly engineVersions: Readonly<Record<string, string>>
  /** Whether tests carry what their runs left, for a reporter that shows attachments. */
  readonly attachEvidence?: boolean
}
