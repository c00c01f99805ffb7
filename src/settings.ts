import type { RunOptions } from './options/options.ts'
import type { RecordingReference } from './recordings/reference.ts'
import type { SkillTrial } from './suites/skills/skill-trial.ts'
import type { RefusedSandbox, SandboxDecision } from './sandbox/sandbox.ts'

export { nearest, type Layered } from './options/layered.ts'
export type { Shard } from './options/case-options.ts'

/** What the main process tells every worker: plain JSON, the same for a whole run. The options of cases and runs are in it. */
export interface RunSettings extends Omit<RunOptions, 'sandbox'> {
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
  /** Why this run must not go live unless asked to; `null` when it may. */
  readonly liveBlockedReason: string | null
  /** The recordings that are believed, where not all are. */
  readonly requireLive?: RecordingReference
  /** Whether a case without an answer is skipped, or errored as where `CI` is set. */
  readonly onMissingAnswers: 'errored' | 'skipped'
  /** What trigger queries are asked beside instead of the siblings of their skill; `null` in every usual run. */
  readonly trial: SkillTrial | null
  /** Versions of the programs that the main process has asked, as `engines/find/find` knows them. */
  readonly engineVersions: Readonly<Record<string, string>>
  /** Whether tests carry what their runs left, for a reporter that shows attachments. */
  readonly attachEvidence?: boolean
}

/** What cases of `claude plugin eval` may do beyond others. */
export type PluginEvalSettings = Pick<RunSettings, 'mocks' | 'scaffold' | 'trustPlugin'>
