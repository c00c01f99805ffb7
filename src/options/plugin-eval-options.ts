import { z } from 'zod'
import { judgeSchema } from './judge-schema.ts'
import type { Ablation } from '../suites/formats/plugin-eval/arms.ts'
import type { Defaulted, Optional, OptionsOf } from './option.ts'

/** Options of `claude plugin eval`, for its cases alone. */
export interface PluginEvalOptionTypes {
  /**
   * Run the scaffold scripts of the cases, which fill their workspaces.
   * @default false
   */
  readonly scaffold: Defaulted<boolean>
  /**
   * Run the evals of plugins that are not in your repository.
   * @default false
   */
  readonly trustPlugin: Defaulted<boolean>
  /**
   * What answers for the MCP servers of a plugin. `record`: the files of `mocks/`. `off`: the servers themselves.
   * @default 'record'
   */
  readonly mocks: Defaulted<'off' | 'record'>
  /**
   * Arms of cases of `claude plugin eval`: with the plugin and without it, or with it alone. `auto`: both, except for a case
   * with a `history_file`, whose history has the plugin in both arms.
   * @default 'auto'
   */
  readonly ablation: Defaulted<Ablation>
  /**
   * Minimum score, from 0 to 1, with which a case of `claude plugin eval` passes.
   * @default 1
   */
  readonly threshold: Defaulted<number>
  /** Only cases with one of these tags. Default: all. */
  readonly tag: Optional<string | readonly string[], readonly string[]>
  /** Only cases of `claude plugin eval` whose names match this glob. Default: all. */
  readonly case: Optional<string>
  /** `[provider:]model` that judges cases of `claude plugin eval`. Default: `judge`, else the agent's model. */
  readonly judgeModel: Optional<string>
}

export const pluginEvalOptions: OptionsOf<PluginEvalOptionTypes> = {
  scaffold: {
    group: 'plugin-evals',
    schema: z.boolean(),
    default: false,
    help: 'plugin evals: run the scaffold scripts of the cases',
  },
  trustPlugin: {
    group: 'plugin-evals',
    schema: z.boolean(),
    default: false,
    help: 'plugin evals: run plugins that are not in your repository',
  },
  mocks: {
    group: 'plugin-evals',
    schema: z.enum(['off', 'record']),
    default: 'record',
    placeholder: 'MODE',
    help: 'plugin evals: record (files play the MCP servers) or off (the servers are started)',
  },
  ablation: {
    group: 'plugin-evals',
    schema: z.enum(['auto', 'none', 'with-without']),
    default: 'auto',
    placeholder: 'MODE',
    help: 'arms of plugin evals: with-without the plugin, none to leave the second arm out, or auto (both unless a case has a history_file)',
  },
  threshold: {
    group: 'plugin-evals',
    schema: z.number().min(0).max(1),
    default: 1,
    placeholder: 'SCORE',
    help: 'score from which on a plugin eval passes',
  },
  tag: {
    group: 'run',
    schema: z.union([z.string(), z.array(z.string())]).transform((tags) =>
      [tags]
        .flat()
        .flatMap((tag) => tag.split(','))
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    ),
    placeholder: 'TAG',
    help: 'only cases with one of these tags; several as TAG,TAG',
    usual: 'all',
  },
  case: {
    group: 'plugin-evals',
    schema: z.string().min(1),
    placeholder: 'GLOB',
    help: 'only plugin evals whose names match',
    usual: 'all',
  },
  judgeModel: {
    group: 'plugin-evals',
    schema: judgeSchema,
    placeholder: '[PROVIDER:]MODEL',
    help: 'model that judges plugin evals',
    usual: '`judge`',
  },
}
