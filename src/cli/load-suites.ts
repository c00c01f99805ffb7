import { discoverEvals, discoverGolden, discoverSuites } from '../suites/discover.ts'
import { findDuplicateNames } from '../suites/duplicate-names.ts'
import { createSuiteCache, loadSuite, type SuiteCache } from '../suites/load-suite.ts'
import type { Suite } from '../suites/suite.ts'

/** The evals below a folder. */
export interface LoadedSuites {
  /** Absolute path of the folder. */
  readonly root: string
  /** By file; what is wrong with each is among its issues. */
  readonly suites: readonly Suite[]
  /** Evals written in TypeScript: absolute paths. What they hold is known when they run. */
  readonly evalFiles: readonly string[]
  readonly cache: SuiteCache
}

/** Finds and reads every suite below a folder. */
export async function loadSuites(root: string, agentsRoot: string = root): Promise<LoadedSuites> {
  const cache = createSuiteCache()
  const [others, golden, skills, { ours: evalFiles }] = await Promise.all([
    discoverSuites(root),
    discoverGolden(agentsRoot),
    cache.skillSuites(root),
    discoverEvals(root),
  ])
  const files = [...others, ...golden.ours, ...skills.suites.keys()].toSorted()
  const suites = await Promise.all(files.map((file) => loadSuite(file, { root, cache })))
  const duplicates = findDuplicateNames(suites)
  return {
    root,
    cache,
    evalFiles,
    suites: suites.map((suite) => ({
      ...suite,
      issues: [...suite.issues, ...duplicates.filter((issue) => issue.file === suite.file)],
    })),
  }
}
