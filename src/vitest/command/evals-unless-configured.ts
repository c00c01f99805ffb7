/// <reference types="vitest/config" />
import { resolve } from 'node:path'
import type { Vite } from 'vitest/node'
import { agentEvals } from '../plugin/agent-evals.ts'
import { cacheOf } from './read-tests.ts'
import { PLUGIN_NAME, type AgentEvalsApi } from '../plugin/plugin-api.ts'

/** Which of our projects a command runs. */
export type OurProject = 'assert' | 'evals'

/** Adds the plugin where no configuration has it, and names its project: nothing else is to run. */
export function evalsUnlessConfigured(namesProjects: boolean, kind: OurProject): Vite.Plugin {
  return {
    name: 'agent-evals:command',
    async config(config: Vite.UserConfig, environment) {
      const configured = findPlugin(config)
      if (configured !== undefined) return namesProjects ? {} : onlyProject(configured, kind)

      const own: Vite.Plugin = agentEvals()
      const hook = typeof own.config === 'function' ? own.config : own.config?.handler
      const added = (await hook?.call(this, config, environment)) as Vite.UserConfig | undefined
      return {
        ...cacheOf(resolve(config.root ?? '.')),
        test: { ...added?.test, ...(namesProjects ? {} : onlyProject(own, kind).test) },
      }
    },
  }
}

/** Our plugin among those of a configuration. */
export function findPlugin(config: { readonly plugins?: unknown }): Vite.Plugin | undefined {
  const plugins = ((config.plugins as readonly unknown[] | undefined) ?? []).flat(9)
  return plugins.find(
    (plugin): plugin is Vite.Plugin =>
      typeof plugin === 'object' && plugin !== null && 'name' in plugin && plugin.name === PLUGIN_NAME,
  )
}

// Vitest takes the filter from a configuration too; its types know it of the command line only.
function onlyProject(plugin: Vite.Plugin, kind: OurProject): Vite.UserConfig {
  const { projectName, assertName } = plugin.api as AgentEvalsApi
  return { test: { project: [kind === 'evals' ? projectName : assertName] } as Vite.UserConfig['test'] & object }
}
