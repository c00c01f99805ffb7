import type { ModelPrices } from '../../gateway/price.ts'
import type { Layered, Shard } from '../../settings.ts'
import type { SandboxChoice } from '../../sandbox/sandbox.ts'

/** Where answers may come from. See the option `source`. */
export type SourceChoice = 'auto' | 'live' | 'record' | 'replay'

/** What `agentEvals()` takes. Nearest wins: environment, the case's own field, the suite's config file, this option, the format's default. */
export interface AgentEvalsOptions {
  /**
   * Agent runtime that is driven; with several every case is one test per engine.
   * @default 'claude-code'
   */
  readonly engine?: string | readonly string[]
  /**
   * Executables by engine name, such as `{ 'claude-code': '/opt/claude' }`, looked for before anything else; or engines
   * of your own, such as `{ mine: { module: './my-engine.mjs' } }`.
   */
  readonly engines?: Readonly<Record<string, string | CustomEngine>>
  /** The agent's model. Default: the engine's own. */
  readonly model?: string
  /**
   * `[provider:]model` of the judge, such as `claude-sonnet` or `claude-code:opus`.
   * Default: the agent's own model, and the report says so.
   */
  readonly judge?: string
  /**
   * Votes of the judge at most, from 1 to 9; it stops asking once a majority is certain.
   * @default 1
   */
  readonly votes?: number
  /**
   * Ask the judge also about cases that a check has failed.
   * @default false
   */
  readonly judgeFailedCases?: boolean
  /**
   * Where answers come from.
   * @default 'auto'
   */
  readonly source?: SourceChoice
  /**
   * What a tool result is that differs from the recorded one. Default: `'error'`, and `'warn'` where the recording is
   * of another platform.
   */
  readonly drift?: 'error' | 'warn'
  /** Only cases of this target, such as `skill:pdf-tools`. Default: all. */
  readonly target?: string
  /**
   * How often a case is run, unless its file says so.
   * @default 1, trigger queries 3
   */
  readonly runs?: number
  /**
   * Share of the completed runs of a case that has to pass, unless its file says so.
   * @default 1
   */
  readonly passThreshold?: number
  /**
   * Run each case of a skill without its skill, too: tests of their own, which never fail the run.
   * @default false
   */
  readonly baseline?: boolean
  /**
   * Run each case at least twice and say how much runs of the same differ.
   * @default false
   */
  readonly aa?: boolean
  /**
   * Share of its runs from which on a query counts as having made the agent use the skill.
   * @default 0.5
   */
  readonly triggerThreshold?: number
  /**
   * Only what asks for results, or only trigger queries. Vitest's `--mode artifact` and `--mode trigger` say the same.
   * @default 'both'
   */
  readonly kind?: 'artifact' | 'both' | 'trigger'
  /** Only golden tests of this category, such as `happy`. Default: all. */
  readonly category?: string
  /** Folder of agents with golden tests, relative to the Vitest root. Default: the Vitest root. */
  readonly agentsRoot?: string
  /**
   * Keep the log of an agent's golden tests, `evals/runs/<date>.jsonl`.
   * @default true
   */
  readonly runLog?: boolean
  /**
   * Print no line per golden test, only what they came to.
   * @default false
   */
  readonly summaryOnly?: boolean
  /** Folder with `evals.json` or `triggers.json`, or such a file, relative to the Vitest root; nothing else is run then. */
  readonly evals?: string
  /** Folder of scenarios, relative to the Vitest root. Default: `<package>/evals/scenarios`. */
  readonly scenarios?: string
  /**
   * Give each artifact eval of a skill a copy of the project it belongs to.
   * @default true
   */
  readonly projectCopy?: boolean
  /**
   * Fail evals of skills that change one of their fixtures.
   * @default false
   */
  readonly readOnlyFixtures?: boolean
  /** Seconds a case may take, for cases and suites that say nothing. Default: the format's (AAM 120, evals of skills 600). */
  readonly timeout?: number
  /** Runs at the same time over all workers. Default: 8 live, the number of cores otherwise. */
  readonly concurrency?: number
  /** US dollars that live requests may cost; no request passes that could cost more than is left. Default: 10. */
  readonly maxCostUsd?: number
  /** Ask models that have no price, whose cost no budget can stop. Default: off. */
  readonly allowUnknownCost?: boolean
  /** Prices by model id, in US dollars for a million tokens; they come before those of the price table. */
  readonly prices?: ModelPrices
  /** The same for all runs and the judge of one case. Default: `maxCostUsd`. */
  readonly maxCostUsdPerCase?: number
  /**
   * What confines the agent.
   * @default 'auto'
   */
  readonly sandbox?: SandboxChoice
  /**
   * Take over the finished cases of the last run that was lost or stopped, where nothing they depend on has changed.
   * @default false
   */
  readonly resume?: boolean
  /**
   * Keep the workspaces of finished runs.
   * @default false
   */
  readonly keepWorkspace?: boolean
  /**
   * Show what would run, start nothing.
   * @default false
   */
  readonly dryRun?: boolean
  /** Further files that a finished run leaves in its run folder: those that skill-creator and its viewer read. */
  readonly export?: 'skill-creator'
  /** Path of the report, relative to the Vitest root, or `false` for none. Default: `<package>/evals/reports/<timestamp>.json`. */
  readonly report?: string | false
  /**
   * Write the report as a page at the end of a run: `true` for `report.html` in the run folder, or a path relative to
   * the Vitest root.
   * @default false
   */
  readonly html?: boolean | string
  /** Only this part of the cases, such as `2/4`: one machine of four. */
  readonly shard?: string
  /** Folder that is searched for suites. Default: the Vitest root. */
  readonly root?: string
  /** Suite files to read, as globs relative to the root. Default: every documented place. */
  readonly include?: readonly string[]
  /** Globs that are left out. */
  readonly exclude?: readonly string[]
  /**
   * Name of the project that needs an engine.
   * @default 'evals'
   */
  readonly name?: string
  /**
   * Name of the project of the free `tests/` of skills, hooks and commands.
   * @default 'assert'
   */
  readonly assertName?: string
  /**
   * `'named'`: the project exists when it or one of its files is named; `'always'`: in every run.
   * @default 'named'
   */
  readonly when?: 'always' | 'named'
  /** Passed to the project's `test` config, over ours. */
  readonly test?: Readonly<Record<string, unknown>>
}

/** An engine that the user supplies. */
export interface CustomEngine {
  /** JavaScript module whose default export is an `Engine`, relative to the Vitest root. */
  readonly module: string
  /** Path of its executable; default: looked for by the engine's own name for it. */
  readonly executable?: string | undefined
}

/** Options with the environment and defaults applied. `null`: nobody said, the suite or format decides. */
export interface ResolvedOptions {
  readonly name: string
  readonly assertName: string
  readonly when: 'always' | 'named'
  readonly root: string | null
  readonly include: readonly string[] | null
  readonly exclude: readonly string[]
  readonly test: Readonly<Record<string, unknown>>
  readonly engine: Layered<string>
  /** All engines that were named, where it may be several. */
  readonly engineMatrix: Layered<readonly string[]>
  readonly engines: Readonly<Record<string, string>>
  /** Modules that hold engines of the user's own, by name; relative to the Vitest root. */
  readonly engineModules: Readonly<Record<string, string>>
  readonly model: string | null
  readonly judge: Layered<string>
  readonly votes: number
  readonly judgeFailedCases: boolean
  readonly source: SourceChoice
  readonly drift: 'error' | 'warn' | null
  readonly target: string | null
  readonly runs: Layered<number>
  readonly passThreshold: Layered<number>
  readonly baseline: boolean
  readonly measureNoise: boolean
  readonly triggerThreshold: Layered<number>
  readonly kind: 'artifact' | 'both' | 'trigger'
  readonly category: string | null
  /** Absolute, or relative to the Vitest root; `null` for the root. */
  readonly agentsRoot: string | null
  readonly runLog: boolean
  readonly summaryOnly: boolean
  /** Absolute, or relative to the Vitest root; `null` searches. */
  readonly evals: string | null
  /** Absolute, or relative to the Vitest root; `null` for the package's own. */
  readonly scenarios: string | null
  readonly projectCopy: boolean
  readonly readOnlyFixtures: boolean
  readonly timeout: Layered<number>
  readonly concurrency: number | null
  readonly maxCostUsd: number
  readonly allowUnknownCost: boolean
  readonly prices: ModelPrices
  readonly maxCostUsdPerCase: number
  readonly sandbox: SandboxChoice
  readonly fromEnvironment: readonly ('model' | 'sandbox')[]
  readonly resume: boolean
  readonly keepWorkspace: boolean
  readonly dryRun: boolean
  readonly export: 'skill-creator' | null
  readonly report: string | false | null
  /** `true` for the run folder; a path is absolute, or relative to the Vitest root. */
  readonly html: boolean | string
  readonly shard: Shard | null
}

/** An option that the environment can set. */
export type VariableName = Exclude<
  keyof AgentEvalsOptions,
  'assertName' | 'engines' | 'exclude' | 'include' | 'name' | 'prices' | 'root' | 'test' | 'when'
>
