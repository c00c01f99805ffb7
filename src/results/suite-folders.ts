import { dirname, join } from 'node:path'
import { suiteFolder } from './case-folder.ts'
import type { Formats } from '../suites/format.ts'
import type { CaseResult } from './result.ts'

/** The results of one suite file. */
export type SuiteResults = readonly CaseResult[]

/**
 * Groups results by suite file, each with the folder of what concerns the whole suite: the run's own where
 * there is one suite, else that of its cases; `null` when none of them has run.
 */
export function foldersOfSuites(
  root: string,
  runFolder: string,
  results: readonly CaseResult[],
  formats?: Formats,
): readonly { readonly folder: string; readonly results: SuiteResults }[] {
  const suites = new Map<string, [CaseResult, ...CaseResult[]]>()
  for (const result of results) {
    const key = `${result.packageRoot}\0${result.suite}`
    const known = suites.get(key)
    if (known === undefined) suites.set(key, [result])
    else known.push(result)
  }
  return [...suites.values()].map((own) => ({
    folder: suites.size === 1 ? runFolder : folderOf(root, runFolder, own, formats),
    results: own,
  }))
}

// Each case's runs are in a folder of the suite.
function folderOf(
  root: string,
  runFolder: string,
  results: readonly [CaseResult, ...SuiteResults],
  known?: Formats,
): string {
  const folder = results.flatMap(({ runs }) => runs.flatMap((run) => run.folder ?? []))[0]
  return folder === undefined ? suiteFolder(root, runFolder, results[0], known) : dirname(dirname(join(root, folder)))
}
