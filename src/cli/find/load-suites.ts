import { knownNames } from '../../judges/judge-name.ts'
import { discoverEvals } from '../../suites/discover.ts'
import { findDuplicateNames } from '../../suites/duplicate-names.ts'
import { createSuiteCache, findSuites, loadSuite, type SuiteCache } from '../../suites/load-suite.ts'
import { searchedPlaces, type SearchNote } from '../../suites/search-notes.ts'
import type { SkillSearch } from '../../suites/skills/skill-suites.ts'
import type { Suite } from '../../suites/suite.ts'

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
  readonly cache: SuiteCache
  /** What they were read with. */
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
