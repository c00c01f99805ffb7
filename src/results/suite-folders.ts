import { dirname, join } from 'node:path'
import type { CaseResult } from './result.ts'

/** The results of one suite file. */
export type SuiteResults = readonly CaseResult[]

/**
 * Groups results by suite file, each with the folder that what is said of the whole suite belongs to: the run's own where
 * there is one suite, else that of its cases; `null` when none of them has run.
 */
export function foldersOfSuites(
  root: string,
  runFolder: string,
  results: readonly CaseResult[],
): readonly { readonly folder: string | null; readonly results: SuiteResults }[] {
  const suites = new Map<string, CaseResult[]>()
  for (const result of results) {
    const key = `${result.packageRoot}\0${result.suite}`
    suites.set(key, [...(suites.get(key) ?? []), result])
  }
  return [...suites.values()].map((own) => ({
    folder: suites.size === 1 ? runFolder : folderOf(root, own),
    results: own,
  }))
}

// Each case's runs lie in a folder of the suite.
function folderOf(root: string, results: SuiteResults): string | null {
  const folder = results.flatMap(({ runs }) => runs.flatMap((run) => run.folder ?? []))[0]
  return folder === undefined ? null : dirname(dirname(join(root, folder)))
}
