import { readdirSync } from 'node:fs'
import { CONFIG_FILE } from '../vitest/plugin/plugin-api.ts'
import { resolveOptions } from '../vitest/plugin/resolve-options.ts'
import { agentsRootOf, searchOf } from '../vitest/plugin/search-of.ts'
import { loadSuites, type LoadedSuites } from './load-suites.ts'
import type { Configuration } from '../vitest/command/read-configuration.ts'
import type { ResolvedOptions } from '../vitest/plugin/options.ts'

/** The evals of a folder, and what its configuration, the environment and flags say of them. */
export interface SearchedFolder extends LoadedSuites {
  readonly options: ResolvedOptions
}

/**
 * Finds the evals of a folder as a run of Vitest would: by its configuration too.
 *
 * @throws {AgentEvalsError} `invalid-options`; whatever the configuration itself throws.
 */
export async function searchFolder(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SearchedFolder> {
  const { root, options } = await configurationOf(folder)
  const resolved = resolveOptions(options, environment)
  const loaded = await loadSuites(root, searchOf(root, resolved), agentsRootOf(root, resolved))
  return { ...loaded, options: resolved }
}

// Vitest is slow to load, and only needed to read what it reads.
async function configurationOf(folder: string): Promise<Configuration> {
  if (!hasConfiguration(folder)) return { root: folder, options: {} }
  const { readConfiguration } = await import('../vitest/command/read-configuration.ts')
  return readConfiguration(folder)
}

function hasConfiguration(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => CONFIG_FILE.test(name))
  } catch {
    return false
  }
}
