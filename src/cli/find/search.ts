import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describeTestFile, variantsFor } from '../../case/plan/plan-case.ts'
import { discoverEvals } from '../../formats/discover.ts'
import { NOTHING, nothingFound, searchedPlaces, type SuiteCache } from '../../formats/format.ts'
import { createSuiteCache, findDuplicateNames, findSuites, loadSuite } from '../../formats/load-suite.ts'
import type { SearchNote, SkillSearch } from '../../formats/skill-evals/skill-suites.ts'
import type { Suite } from '../../formats/suite.ts'
import type { Variant } from '../../formats/variants.ts'
import { knownNames } from '../../judges/providers/registry.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { checkoutAround, foldersUpTo, listNames } from '../../lib/files.ts'
import { sumOf } from '../../lib/lists.ts'
import { plural } from '../../lib/text.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { resolveOptions } from '../../options/resolve-options.ts'
import { isPackage, pathBelow, pathFrom } from '../../packages/package-root.ts'
import { listRunFolders } from '../../report/results/past-runs.ts'
import { readRunEnd } from '../../report/results/run-folder.ts'
import type { Configuration } from '../../vitest/command/read-configuration.ts'
import { readTests, type WrittenTest } from '../../vitest/command/read-tests.ts'
import { agentsRootOf, skillSearch } from '../../vitest/plugin/suite-search.ts'
import { CONFIG_FILE } from '../../vitest/provided.ts'
import { requireManifest } from './require-install.ts'
import { findUnknownNames, hasOwnEngines } from '../lint/unknown-names.ts'

/** The evals of a folder, and what its configuration, the environment and flags say of them. */
export interface SearchedFolder extends LoadedSuites {
  /** Those of the evals in TypeScript, as far as they can be read without running a file. */
  readonly tests: readonly FoundTest[]
  readonly options: ResolvedOptions
}

/** A test in TypeScript, and the engines and models of which each runs it; none where there is one of both. */
export interface FoundTest extends WrittenTest {
  readonly variants: readonly Variant[]
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
  const { root, options } = await configurationOf(folder, config)
  const resolved = resolveOptions(options, environment)
  const loaded = await loadSuites(root, skillSearch(root, resolved), agentsRootOf(root, resolved))
  const names = { cache: loaded.cache, knowsTools: !hasOwnEngines(resolved) }
  const suites = await Promise.all(
    loaded.suites.map(async (suite) => ({
      ...suite,
      issues: [...suite.issues, ...(await findUnknownNames(suite, names))],
    })),
  )
  const written = await readTests(root, loaded.evalFiles)
  const tests = written.map(async (test) => {
    const file = await describeTestFile(test.file, root, loaded.cache)
    return { ...test, variants: variantsFor(file, resolved) }
  })
  return { ...loaded, suites, tests: await Promise.all(tests), options: resolved }
}

/** As {@link searchFolder}, without a look at the evals. */
export async function readOptions(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  { config }: { readonly config: boolean },
): Promise<ResolvedOptions> {
  const { options } = await configurationOf(folder, config)
  return resolveOptions(options, environment)
}

// Vitest is slow to load, and only needed to read what it reads.
async function configurationOf(folder: string, isWanted: boolean): Promise<Configuration> {
  if (!isWanted || !hasConfiguration(folder)) return { root: folder, options: {} }
  requireManifest(folder)
  const { readConfiguration } = await import('../../vitest/command/read-configuration.ts')
  return readConfiguration(folder)
}

/** What a command is about: a project, and the part of it where the command was started. Absolute paths. */
export interface ProjectPart {
  readonly root: string
  /** The root itself, or a folder below it. */
  readonly within: string
}

/**
 * The project around a folder: the nearest folder upwards with a Vitest configuration, a package.json or a package of
 * agents, else the checkout. A suite has the same package, recordings and scenarios wherever a command is started.
 */
export function findProject(folder: string): ProjectPart {
  const checkout = checkoutAround(folder)
  // Without a checkout, how far the project reaches is not known.
  if (checkout === null) return { root: folder, within: folder }
  return { root: foldersUpTo(checkout, folder).find(isProject) ?? checkout, within: folder }
}

/** Keeps the suites below the folder where the command was started. */
export function narrow<T extends LoadedSuites & { readonly tests?: readonly WrittenTest[] }>(
  loaded: T,
  within: string,
): T & { readonly elsewhere?: number } {
  if (within === loaded.root || pathBelow(loaded.root, within) === null) return loaded
  const isIn = (file: string): boolean => pathBelow(within, file) !== null
  const others = loaded.suites.filter(({ file }) => !isIn(file))
  return {
    ...loaded,
    suites: loaded.suites.filter(({ file }) => isIn(file)),
    elsewhere: sumOf(others, ({ cases }) => cases.length),
    evalFiles: loaded.evalFiles.filter(isIn),
    ...(loaded.tests === undefined ? {} : { tests: loaded.tests.filter(({ file }) => isIn(file)) }),
    notes: loaded.notes.filter(({ file }) => file !== null && isIn(file)),
  }
}

/** Says that there are no evals, and where there are some instead. */
export function describeNothing({
  root,
  elsewhere = 0,
  notes = [],
}: Pick<LoadedSuites, 'root'> & Partial<Pick<LoadedSuites, 'notes'> & { readonly elsewhere: number }>): string {
  if (elsewhere === 0) return nothingFound(notes)
  return `No evals in this folder. Its project has ${plural(elsewhere, 'case')}; add --root ${pathFrom(process.cwd(), root) || '.'} for all of them.`
}

/** Whether a folder has a Vitest configuration. */
export function hasConfiguration(folder: string): boolean {
  return listNames(folder).some((name) => CONFIG_FILE.test(name))
}

function isProject(folder: string): boolean {
  return hasConfiguration(folder) || isPackage(folder) || existsSync(join(folder, 'package.json'))
}

/** The evals below a folder. */
export interface LoadedSuites {
  /** Absolute path of the folder. */
  readonly root: string
  /** By file; what is wrong with each is among its issues. */
  readonly suites: readonly Suite[]
  /** Evals written in TypeScript: absolute paths. What they hold is known when they run. */
  readonly evalFiles: readonly string[]
  /** What was found and is not used. */
  readonly notes: readonly SearchNote[]
  /** Where nothing was found, one sentence for each place. */
  readonly places: readonly string[]
  /** What they were read with. */
  readonly cache: SuiteCache
}

/** Finds and reads every suite below a folder. */
export async function loadSuites(root: string, search?: SkillSearch, agentsRoot: string = root): Promise<LoadedSuites> {
  const cache = createSuiteCache({ names: knownNames(), search })
  const isNamed = search !== undefined && search.evals !== null
  const [{ placed, searched }, skills, { ours: evalFiles }] = await Promise.all([
    findSuites({ root, agentsRoot, cache }, isNamed),
    cache.skillSuites(root),
    isNamed ? { ours: [] } : discoverEvals(root),
  ])
  const files = [...placed, ...searched].toSorted()
  const suites = await Promise.all(files.map((file) => loadSuite(file, { root, cache })))
  const duplicates = findDuplicateNames(suites)
  return {
    root,
    cache,
    evalFiles,
    notes: skills.notes,
    places: searchedPlaces(skills),
    suites: suites.map((suite) => ({
      ...suite,
      issues: [...suite.issues, ...duplicates.filter((issue) => issue.file === suite.file)],
    })),
  }
}

/** Why a command that shows the latest run has none to show: nothing has run yet, or there is nothing to run. */
export async function noRun(folder: string): Promise<AgentEvalsError> {
  const message = (await hasEvals(folder))
    ? 'No run found in .vitest/agent-evals. Run the evals first: npx vitest-agent-evals run'
    : NOTHING
  return new AgentEvalsError('no-match', message)
}

/** Whether a folder has any evals at all. */
export async function hasEvals(folder: string): Promise<boolean> {
  const { suites, evalFiles } = await searchFolder(folder, process.env)
  return suites.length + evalFiles.length > 0
}

/** The reports of the latest run below the current folder that has any. One whose reports were removed since has none. */
export async function latestReports(): Promise<readonly string[]> {
  const here = process.cwd()
  for (const { path } of listRunFolders(findProject(here).root).toReversed()) {
    const reports = (readRunEnd(path)?.reports ?? []).map((report) => resolve(here, report))
    const there = reports.filter((report) => existsSync(report))
    if (there.length > 0) return there.map((report) => relative(here, report))
  }
  throw await noRun(here)
}
