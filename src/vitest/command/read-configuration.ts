import { resolve } from 'node:path'
import { resolveConfig, type Vite } from 'vitest/node'
import { brokenConfiguration } from './broken-configuration.ts'
import { findPlugin } from './evals-unless-configured.ts'
import { holdOutput } from './hold-output.ts'
import { loadUnwritable } from './load-unwritable.ts'
import type { AgentEvalsApi } from '../plugin/plugin-api.ts'
import type { AgentEvalsOptions } from '../../options/options.ts'

/** What the Vitest configuration of a folder says about evals. */
export interface Configuration {
  /** Absolute path of the folder that is searched. */
  readonly root: string
  readonly options: AgentEvalsOptions
}

/**
 * Reads what a folder's configuration gives our plugin: nothing where it has no such plugin.
 *
 * @throws {AgentEvalsError} `invalid-options` where it cannot be loaded; what our plugin itself throws.
 */
export async function readConfiguration(folder: string): Promise<Configuration> {
  const resolved = await load(folder)
  // Vitest 5 returns it alone, Vitest 4.1 beside its own.
  const viteConfig = ('viteConfig' in resolved ? resolved.viteConfig : resolved) as Vite.ResolvedConfig
  const plugin: Vite.Plugin | undefined = findPlugin(viteConfig)
  if (plugin === undefined) return { root: folder, options: {} }
  const { options } = plugin.api as AgentEvalsApi
  return { root: resolve(viteConfig.root, options.root ?? '.'), options }
}

// A configuration may print what it likes, and standard output may be JSON of ours.
async function load(folder: string): Promise<object> {
  const output = holdOutput()
  try {
    const resolved: object = await loadUnwritable((loader) =>
      resolveConfig({ root: folder, watch: false }, { logLevel: 'silent', ...loader }),
    )
    output.release('stderr')
    return resolved
  } catch (error) {
    throw brokenConfiguration(error, { folder, advice: ', or run lint --no-config, which does not load it' })
  } finally {
    output.drop()
  }
}
