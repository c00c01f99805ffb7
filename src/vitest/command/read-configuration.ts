import { resolve } from 'node:path'
import { resolveConfig, type Vite } from 'vitest/node'
import { findPlugin } from './evals-unless-configured.ts'
import type { AgentEvalsApi } from '../plugin/plugin-api.ts'
import type { AgentEvalsOptions } from '../../options/options.ts'
import type { Lists } from '../../settings.ts'

/** What the Vitest configuration of a folder says about evals. */
export interface Configuration {
  /** Absolute path of the folder that is searched. */
  readonly root: string
  readonly options: AgentEvalsOptions
  readonly lists: Lists
}

/** Reads what a folder's configuration gives our plugin: nothing where it has no such plugin. */
export async function readConfiguration(folder: string): Promise<Configuration> {
  // What is wrong with it is in the error: Vite would print it, too.
  const resolved: object = await resolveConfig({ root: folder, watch: false }, { logLevel: 'silent' })
  // Vitest 5 returns it alone, Vitest 4.1 beside its own.
  const viteConfig = ('viteConfig' in resolved ? resolved.viteConfig : resolved) as Vite.ResolvedConfig
  const plugin: Vite.Plugin | undefined = findPlugin(viteConfig)
  if (plugin === undefined) return { root: folder, options: {}, lists: {} }
  const { options, lists } = plugin.api as AgentEvalsApi
  return { root: resolve(viteConfig.root, options.root ?? '.'), options, lists }
}
