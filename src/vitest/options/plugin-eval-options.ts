import { z } from 'zod'
import type { Defaulted, OptionsOf } from './option.ts'

/** Options of cases of `claude plugin eval`. */
export interface PluginEvalOptionTypes {
  /**
   * Fill workspaces by the scaffold scripts of the cases.
   * @default false
   */
  readonly scaffold: Defaulted<boolean>
  /**
   * Run the evals of plugins that are not in your repository.
   * @default false
   */
  readonly trustPlugin: Defaulted<boolean>
  /**
   * What plays the MCP servers of a plugin: with `record` the files of `mocks/`, with `off` the servers themselves.
   * @default 'record'
   */
  readonly mocks: Defaulted<'off' | 'record'>
}

export const pluginEvalOptions: OptionsOf<PluginEvalOptionTypes> = {
  scaffold: { schema: z.boolean(), default: false, help: 'plugin evals: run the scaffold scripts of the cases' },
  trustPlugin: {
    schema: z.boolean(),
    default: false,
    help: 'plugin evals: run plugins that are not in your repository',
  },
  mocks: {
    schema: z.enum(['off', 'record']),
    default: 'record',
    placeholder: 'MODE',
    help: 'plugin evals: record (files play the MCP servers) or off (the servers are started)',
  },
}
