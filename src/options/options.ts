import { z } from 'zod'
import { engines } from '../engines/registry.ts'
import { DEFAULT_ENGINE } from '../formats/suite.ts'
import type { ModelPrices } from '../gateway/budget/price.ts'
import type { JudgeEndpoint } from '../gateway/wires/apis.ts'
import { similarName } from '../lib/documents/nearest-name.ts'
import { SANDBOX_CHOICES, type SandboxChoice } from '../sandbox/sandbox.ts'
import { caseOptions, type CaseOptionTypes } from './case-options.ts'
import { judgeEndpoints } from './value-schemas.ts'
import type { Defaulted, OptionType, Optional, OptionsOf, PerSuite } from './option.ts'
import {
  pluginEvalOptions,
  projectOptions,
  type PluginEvalOptionTypes,
  type ProjectOptionTypes,
} from './project-options.ts'
import type { Layered } from './option.ts'

/** Where answers may come from. See the option `source`. */
export type SourceChoice = 'auto' | 'live' | 'record' | 'replay'

/** An engine of your own. */
export interface CustomEngine {
  /** JavaScript module whose default export is an `Engine`, relative to the Vitest root. */
  readonly module: string
  /** Path of its executable. Default: the engine's `executable`, searched in node_modules and on PATH. */
  readonly executable?: string | undefined
}

type EngineChoices = Readonly<Record<string, string | CustomEngine>>

/** How a case runs. */
interface RunOptionTypes {
  /**
   * Agent runtime. With several, every case is one test per engine.
   * @default 'claude-code'
   */
  readonly engine: PerSuite<string | readonly string[], readonly string[]>
  /**
   * Paths of executables by engine name, such as `{ 'claude-code': '/opt/claude' }`, which are tried first. Or engines of
   * your own, such as `{ mine: { module: './my-engine.mjs' } }`. Default: none.
   */
  readonly engines: OptionType<EngineChoices, EngineChoices, EngineChoices, { readonly default: EngineChoices }>
  /**
   * The agent's model. With several, every case is one test per model. Default: that of the recording, else the engine's
   * own.
   */
  readonly model: Optional<string | readonly string[], readonly string[]>
  /**
   * Where answers come from.
   * @default 'auto'
   */
  readonly source: Defaulted<SourceChoice>
  /**
   * A ref of Git, such as `origin/main`: cases whose recording or scenario differs from the one there run live, or
   * are errored.
   * Default: none.
   */
  readonly requireLive: Optional<string>
  /**
   * How to treat a tool result that differs from the recording. Default: `'error'`, and `'warn'` for a recording of
   * another platform.
   */
  readonly drift: Optional<'error' | 'warn'>
  /** Folder of scenarios, relative to the Vitest root. Default: `<package>/evals/scenarios`. */
  readonly scenarios: Optional<string>
  /** Timeout in seconds for cases that set none. Default: by format (AAM 120, evals of skills 600). */
  readonly timeout: PerSuite<number>
  /** Maximum number of parallel runs in all workers. Default: 8 for live runs, else the number of cores. */
  readonly concurrency: Optional<number>
  /** Budget of a run in US dollars, judges included. A request that could exceed it is refused. Default: 10. */
  readonly maxCostUsd: Defaulted<number>
  /** Budget in US dollars for all runs of a case and its judge. Default: `maxCostUsd`. */
  readonly maxCostUsdPerCase: Optional<number>
  /** Allow models without a price, whose cost no budget can limit. Default: false. */
  readonly allowUnknownCost: Defaulted<boolean>
  /** Prices by model id, in US dollars for a million tokens. They override the price table. Default: none. */
  readonly prices: Defaulted<ModelPrices>
  /**
   * Judges at servers that are compatible with OpenAI's API, by the name that goes before the colon of a judge:
   * `{ groq: { url: 'https://api.groq.com/openai/v1', key: 'GROQ_API_KEY' } }` for `--judge groq:MODEL`. `key` is the
   * environment variable that holds the key; a server without one takes none. Default: none.
   */
  readonly judgeEndpoints: Defaulted<Readonly<Record<string, JudgeEndpoint>>>
  /**
   * Sandbox of the agent.
   * @default 'auto'
   */
  readonly sandbox: Defaulted<SandboxChoice>
  /**
   * Give each artifact eval of a skill a copy of its project.
   * @default true
   */
  readonly projectCopy: Defaulted<boolean>
  /**
   * Fail evals of skills that change one of their fixtures.
   * @default false
   */
  readonly readOnlyFixtures: Defaulted<boolean>
  /**
   * Play each case about a hook that passes once more, with a hook that does nothing, and list those that stay green. Free:
   * it is played from the recording or scenario.
   * @default false
   */
  readonly sabotage: Defaulted<boolean>
  /**
   * Reuse the finished cases of the last interrupted run, if none of their inputs changed.
   * @default false
   */
  readonly resume: Defaulted<boolean>
  /**
   * Take over the last result of a replayed case that passed, if nothing that it depends on has changed. Off where `CI` is
   * set, unless it is a folder, relative to the Vitest root, that CI restores.
   * @default true
   */
  readonly cache: Defaulted<boolean | string>
  /**
   * Keep the workspaces of finished runs.
   * @default false
   */
  readonly keepWorkspace: Defaulted<boolean>
  /**
   * Show what would run, start nothing.
   * @default false
   */
  readonly dryRun: Defaulted<boolean>
}

const amount = z.number().nonnegative()
const price = z.strictObject({
  input: amount,
  output: amount,
  cacheRead: amount.optional(),
  cacheWrite: amount.optional(),
})
const ownEngine = z.strictObject({ module: z.string().min(1), executable: z.string().min(1).optional() })

const others = Object.keys(engines).flatMap((name) => (name === DEFAULT_ENGINE ? [] : [`\`${name}\``]))

const runOptions: OptionsOf<RunOptionTypes> = {
  engine: {
    group: 'run',
    schema: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).transform(readNames),
    isLayered: true,
    placeholder: 'NAME',
    help: 'agent runtime, or several as NAME,NAME',
    usual: `the one in eval-config.json, else \`${DEFAULT_ENGINE}\`; also ${others.slice(0, -1).join(', ')}, and ${others.at(-1)} for agents`,
  },
  engines: {
    schema: z.record(z.string(), z.union([z.string().min(1), ownEngine])).check(requireKnownEngines),
    default: {},
    isConfigOnly: true,
    help: 'paths of executables, or engines of your own, by name',
    usual: 'none',
  },
  model: {
    group: 'run',
    schema: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).transform(readNames),
    placeholder: 'ID',
    help: "the agent's model, or several as ID,ID",
    usual: "the engine's own",
  },
  source: {
    group: 'answers',
    schema: z.enum(['auto', 'live', 'record', 'replay']),
    default: 'auto',
    placeholder: 'SOURCE',
    help: 'where answers come from: auto, replay, record or live; also --live, --record',
  },
  requireLive: {
    group: 'answers',
    schema: z.string().regex(/^[^-\s]\S*$/, 'expected a ref of Git, such as origin/main'),
    placeholder: 'REF',
    help: 'believe only recordings and scenarios as they are at a ref of Git, such as origin/main; other cases run live',
    usual: 'none',
  },
  drift: {
    group: 'answers',
    schema: z.enum(['error', 'warn']),
    placeholder: 'error|warn',
    help: 'how to treat tool results that differ from the recording',
    usual: '`error`; `warn` where the recording is of another platform',
  },
  scenarios: {
    group: 'answers',
    schema: z.string().min(1),
    isPath: true,
    placeholder: 'DIR',
    help: 'folder of scenarios',
    usual: '`evals/scenarios` of the package',
  },
  timeout: {
    group: 'answers',
    schema: z.number().positive().max(86_400),
    isLayered: true,
    placeholder: 'SECONDS',
    help: 'timeout in seconds for cases that set none',
    usual: '120, evals of skills 600',
  },
  concurrency: {
    group: 'answers',
    schema: z.number().int().min(1).max(256),
    placeholder: 'N',
    help: 'maximum number of parallel runs',
    usual: '8 live, else the number of cores',
  },
  maxCostUsd: {
    group: 'answers',
    schema: amount,
    default: 10,
    placeholder: 'AMOUNT',
    help: 'budget for all live requests, in US dollars',
  },
  maxCostUsdPerCase: {
    group: 'answers',
    schema: amount,
    placeholder: 'AMOUNT',
    help: 'budget for each case, in US dollars',
    usual: '`maxCostUsd`',
  },
  allowUnknownCost: {
    group: 'answers',
    schema: z.boolean(),
    default: false,
    help: 'allow models without a price, whose cost no budget can limit',
  },
  prices: {
    schema: z.record(z.string().min(1), price),
    default: {},
    isConfigOnly: true,
    help: 'prices in US dollars for a million tokens, by model',
    usual: 'the prices of the price table',
  },
  judgeEndpoints: {
    schema: judgeEndpoints,
    default: {},
    isConfigOnly: true,
    help: 'judges at OpenAI-compatible servers: `url` and the variable of the `key`, by name',
    usual: 'none',
  },
  sandbox: {
    group: 'sandbox',
    schema: z.enum(SANDBOX_CHOICES),
    default: 'auto',
    placeholder: 'KIND',
    help: `${SANDBOX_CHOICES.slice(0, -1).join(', ')} or none`,
  },
  projectCopy: {
    group: 'sandbox',
    schema: z.boolean(),
    default: true,
    usage: '--no-project-copy',
    help: 'give evals of skills a copy of their project',
    flagHelp: 'start evals of skills in an empty workspace instead of a copy of their project',
  },
  sabotage: {
    group: 'run',
    schema: z.boolean(),
    default: false,
    help: 'play hook cases again with a hook that does nothing, list those that stay green',
  },
  readOnlyFixtures: {
    group: 'sandbox',
    schema: z.boolean(),
    default: false,
    help: 'fail evals of skills that change a fixture',
  },
  resume: {
    group: 'answers',
    schema: z.boolean(),
    default: false,
    help: 'reuse the finished cases of the last interrupted run, if nothing changed',
  },
  cache: {
    group: 'answers',
    schema: z.union([z.boolean(), z.string().min(1)]),
    default: true,
    isPath: true,
    usage: '--no-cache, --cache=DIR',
    help: 'take over replayed cases that passed and have not changed; a folder keeps them there, also in CI',
    flagHelp: 'run every case again; DIR keeps what passed and has not changed there, also in CI',
    usual: '`true`, but off where `CI` is set',
  },
  keepWorkspace: {
    group: 'sandbox',
    schema: z.boolean(),
    default: false,
    help: 'keep the workspaces of finished runs',
  },
  dryRun: { group: 'run', schema: z.boolean(), default: false, help: 'show what would run, start nothing' },
}

// The path of an engine that nobody knows would have no effect.
function requireKnownEngines({ value, issues }: z.core.ParsePayload<EngineChoices>): void {
  for (const [name, choice] of Object.entries(value)) {
    if (typeof choice !== 'string' || Object.hasOwn(engines, name)) continue
    const near = similarName(name, Object.keys(engines))
    const hint = near === null ? '' : ` Did you mean ${JSON.stringify(near)}?`
    const message = `no engine has this name.${hint} An engine of your own is { module: './${name}.mjs' }`
    issues.push({ code: 'custom', input: value, path: [name], message })
  }
}

// On a command line several are separated by commas.
function readNames(value: string | readonly string[]): readonly string[] {
  const names = [value].flat().flatMap((name) => name.split(','))
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))]
}

type OptionTypes = CaseOptionTypes & PluginEvalOptionTypes & ProjectOptionTypes & RunOptionTypes

/**
 * Options of `agentEvals()`. Of several values, the first of these wins: flag, environment, the case's own field, the
 * suite's config file, this option, the default of the format.
 */
export type AgentEvalsOptions = { readonly [Name in keyof OptionTypes]?: OptionTypes[Name]['given'] }

/** Options with the environment and defaults applied. `null`: nothing set it, the suite or format decides. */
export interface ResolvedOptions extends Omit<
  DeclaredOptions,
  'engine' | 'engines' | 'maxCostUsdPerCase' | 'model' | 'runs'
> {
  readonly engine: Layered<string>
  /** All engines that were named, where it may be several. */
  readonly engineMatrix: Layered<readonly string[]>
  /** Executables by engine. */
  readonly engines: Readonly<Record<string, string>>
  /** Modules that hold engines of the user's own, by name; relative to the Vitest root. */
  readonly engineModules: Readonly<Record<string, string>>
  readonly maxCostUsdPerCase: number
  /** The model, where one is named. */
  readonly model: string | null
  /** The models, where several are named. */
  readonly modelMatrix: readonly string[]
  /** The numbers that were named. */
  readonly runs: Layered<number>
  /** The option `runs` is `auto`: a case stops once its verdict is certain. */
  readonly stopsEarly: boolean
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
