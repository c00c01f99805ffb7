import { resolve } from 'node:path'
import { engines, requireEngine } from '../../engines/registry.ts'
import { resolveOptions } from '../../options/resolve-options.ts'
import { agentsRootOf, skillSearch } from '../../vitest/plugin/skill-search.ts'
import { hasConfiguration } from './find-place.ts'
import { requireManifest } from './require-manifest.ts'
import { findSharedScenarioIssues } from '../lint-rules/shared-scenarios.ts'
import { readTests, type WrittenTest } from '../../vitest/command/read-tests.ts'
import { loadSuites, type LoadedSuites } from './load-suites.ts'
import type { Configuration } from '../../vitest/command/read-configuration.ts'
import type { ResolvedOptions } from '../../options/options.ts'

/** The evals of a folder, and what its configuration, the environment and flags say of them. */
export interface SearchedFolder extends LoadedSuites {
  /** Those of the evals in TypeScript, as far as they can be read without running a file. */
  readonly tests: readonly WrittenTest[]
  readonly options: ResolvedOptions
}

/**
 * Finds the evals of a folder as a run of Vitest would: by its configuration too, unless `config` is false. The
 * configuration is code of the folder and is run.
 *
 * @throws {AgentEvalsError} `invalid-options`
 */
export async function searchFolder(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  { config = true }: { readonly config?: boolean } = {},
): Promise<SearchedFolder> {
  const { root, options } = config ? await configurationOf(folder) : withoutConfiguration(folder)
  const resolved = resolveOptions(options, environment)
  const loaded = await loadSuites(root, skillSearch(root, resolved), agentsRootOf(root, resolved))
  const scenarios = resolved.scenarios === null ? null : resolve(root, resolved.scenarios)
  const engineNames = Object.keys(engines)
  const suites = loaded.suites.map((suite) => ({
    ...suite,
    issues: [...suite.issues, ...findSharedScenarioIssues(suite, { root, scenarios }, engineNames)],
  }))
  return { ...loaded, suites, tests: await readTests(root, loaded.evalFiles), options: resolved }
}

/**
 * Refuses an engine that a flag, a variable or the configuration names and nobody has. A run reports it of each case.
 *
 * @throws {AgentEvalsError} `unsupported-engine`, with the nearest name.
 */
export function requireEngines({ engineMatrix, engineModules }: ResolvedOptions): void {
  const named = [...(engineMatrix.environment ?? []), ...(engineMatrix.option ?? [])]
  for (const name of named) if (!Object.hasOwn(engineModules, name)) requireEngine(name)
}

// Vitest is slow to load, and only needed to read what it reads.
async function configurationOf(folder: string): Promise<Configuration> {
  if (!hasConfiguration(folder)) return withoutConfiguration(folder)
  requireManifest(folder)
  const { readConfiguration } = await import('../../vitest/command/read-configuration.ts')
  return readConfiguration(folder)
}

function withoutConfiguration(root: string): Configuration {
  return { root, options: {} }
}
