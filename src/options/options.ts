import type { Layered } from './layered.ts'
import { caseOptions, type CaseOptionTypes } from './case-options.ts'
import { pluginEvalOptions, type PluginEvalOptionTypes } from './plugin-eval-options.ts'
import { projectOptions, type ProjectOptionTypes } from './project-options.ts'
import { runOptions, type RunOptionTypes } from './run-options.ts'
import type { OptionsOf } from './option.ts'

export type { CustomEngine, SourceChoice } from './run-options.ts'

type OptionTypes = CaseOptionTypes & PluginEvalOptionTypes & ProjectOptionTypes & RunOptionTypes

/**
 * Options of `agentEvals()`. Of several values, the first of these wins: flag, environment, the case's own field, the
 * suite's config file, this option, the default of the format.
 */
export type AgentEvalsOptions = { readonly [Name in keyof OptionTypes]?: OptionTypes[Name]['given'] }

/** Options with the environment and defaults applied. `null`: nothing set it, the suite or format decides. */
export interface ResolvedOptions extends Omit<DeclaredOptions, 'aa' | 'engine' | 'engines' | 'maxCostUsdPerCase'> {
  readonly engine: Layered<string>
  /** All engines that were named, where it may be several. */
  readonly engineMatrix: Layered<readonly string[]>
  /** Executables by engine. */
  readonly engines: Readonly<Record<string, string>>
  /** Modules that hold engines of the user's own, by name; relative to the Vitest root. */
  readonly engineModules: Readonly<Record<string, string>>
  readonly maxCostUsdPerCase: number
  /** The option `aa`. */
  readonly measureNoise: boolean
  /** Options that the environment sets, over what a test in TypeScript chooses. */
  readonly fromEnvironment: readonly ('model' | 'sandbox')[]
}

/** Each option as it is declared, resolved by itself. */
export type DeclaredOptions = { readonly [Name in keyof OptionTypes]: OptionTypes[Name]['resolved'] }

/** What a run gets of the options: all but those of the project, and the ref, of which it gets the recordings. */
export type RunOptions = Omit<ResolvedOptions, keyof ProjectOptionTypes | 'requireLive'>

/** The options that workers need: all but those of the project, which may hold functions. */
export function runOptionsOf(options: ResolvedOptions): RunOptions {
  const entries = Object.entries(options).filter(
    ([name]) => name !== 'requireLive' && !Object.hasOwn(projectOptions, name),
  )
  return Object.fromEntries(entries) as unknown as RunOptions
}

/** Every option. */
export const OPTIONS: OptionsOf<OptionTypes> = {
  ...runOptions,
  ...caseOptions,
  ...pluginEvalOptions,
  ...projectOptions,
}
