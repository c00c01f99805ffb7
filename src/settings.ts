import type { ModelPrices } from './gateway/price.ts'
import type { SkillTrial } from './suites/skill-trial.ts'
import type { RefusedSandbox, SandboxDecision } from './sandbox/sandbox.ts'

/** What the main process tells every worker: plain JSON, the same for a whole run. */
export interface RunSettings {
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
  readonly source: 'auto' | 'live' | 'record' | 'replay'
  /** What a changed tool result is; `null`: an error where the platform is the recording's, else a remark. */
  readonly drift: 'error' | 'warn' | null
  /** Why this run must not go live unless told to; `null` when it may. */
  readonly liveBlockedReason: string | null
  /** Whether a case without an answer is skipped, or errored as where `CI` is set. */
  readonly onMissingAnswers: 'errored' | 'skipped'
  readonly engine: Layered<string>
  /** All engines that were named, where it may be several. */
  readonly engineMatrix: Layered<readonly string[]>
  readonly engines: Readonly<Record<string, string>>
  /** Absolute paths of the modules that hold engines of the user's own, by name. */
  readonly engineModules: Readonly<Record<string, string>>
  readonly timeout: Layered<number>
  readonly runs: Layered<number>
  /** Share of the completed runs of a case that has to pass. */
  readonly passThreshold: Layered<number>
  /** Whether cases of skills are run without their skill, too. */
  readonly baseline: boolean
  /** Whether every case is run at least twice, to see how much equal runs differ. */
  readonly measureNoise: boolean
  /** Which arms a case of `claude plugin eval` is run in. */
  readonly ablation: 'none' | 'with-without'
  /** From which score on such a case passes. */
  readonly threshold: number
  /** `[provider:]model` that judges such cases; `null`: as `judge` says. */
  readonly judgeModel: string | null
  readonly triggerThreshold: Layered<number>
  /** What decides the runs of trigger queries: their first model turn where it can, only that, full sessions, or both. */
  readonly triggers: TriggersChoice
  /** Absolute path of the folder of scenarios; `null` for the package's own. */
  readonly scenarios: string | null
  readonly projectCopy: boolean
  readonly readOnlyFixtures: boolean
  readonly model: string | null
  /** `[provider:]model`. */
  readonly judge: Layered<string>
  /** Votes of the judge at most. */
  readonly votes: number
  /** Whether the judge is asked about cases that a check has failed, too. */
  readonly judgeFailedCases: boolean
  readonly target: string | null
  /** The part of the cases that this run is about; `null` for all. */
  readonly shard: Shard | null
  /** Whether cases that an unfinished run has finished, of equal inputs, are taken over from it. */
  readonly resume: boolean
  readonly pluginEval: PluginEvalSettings
  readonly keepWorkspace: boolean
  /** US dollars after which no live run is started any more. */
  readonly maxCostUsd: number
  /** Whether a model without a price may be asked, which no budget can stop. */
  readonly allowUnknownCost: boolean
  /** Prices over those of the table. */
  readonly prices: ModelPrices
  /** Options that the environment has said: nothing that is written in a file replaces these. */
  readonly fromEnvironment: readonly ('model' | 'sandbox')[]
  readonly dryRun: boolean
  /** What trigger queries are asked beside instead of the siblings of their skill; `null` in every usual run. */
  readonly trial: SkillTrial | null
  /** Whether tests carry what their runs left, for a reporter that shows attachments. */
  readonly attachEvidence?: boolean
}

/** How the runs of trigger queries are decided. See the option `triggers`. */
export type TriggersChoice = 'auto' | 'full' | 'probe' | 'verify'
/** What cases of `claude plugin eval` may do beyond others. */
export interface PluginEvalSettings {
  /** Whether their scaffold scripts run. */
  readonly scaffold: boolean
  /** Whether plugins outside of the user's own repository are run. */
  readonly trustPlugin: boolean
  /** `record`: files play the MCP servers of the plugin, and none of these is started. */
  readonly mocks: 'off' | 'record'
}

/** One of several machines that share the cases of a run. */
export interface Shard {
  /** From 1. */
  readonly index: number
  readonly count: number
}

/** A value by who said it: the environment beats the suite's file, the plugin option does not. */
export interface Layered<T> {
  readonly environment: T | null
  readonly option: T | null
}

/** The nearest value: environment, suite, option, else the default. */
export function nearest<T>(said: Layered<T>, suite: T | null, fallback: T): T {
  return said.environment ?? suite ?? said.option ?? fallback
}
