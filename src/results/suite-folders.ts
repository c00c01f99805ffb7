import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suiteFolder } from './case-folder.ts'
import type { Formats } from '../suites/format.ts'
import type { CaseResult } from './result.ts'

/** The results of one suite file. */
export type SuiteResults = readonly CaseResult[]

/** Where results of suites are written. */
export interface SuitesPlace {
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** Absolute path of the run folder. */
  readonly runFolder: string
  /** @default the built-in ones */
  readonly formats?: Formats | undefined
}

/**
 * Writes a file of JSON for each suite file: into the run folder where there is one suite, else into the folder of its
 * cases.
 */
export function writeForSuites(
  place: SuitesPlace,
  name: string,
  results: readonly CaseResult[],
  describe: (results: SuiteResults) => object,
): void {
  const suites = new Map<string, [CaseResult, ...CaseResult[]]>()
  for (const result of results) {
    const key = `${result.packageRoot}\0${result.suite}`
    const known = suites.get(key)
    if (known === undefined) suites.set(key, [result])
    else known.push(result)
  }
  for (const own of suites.values()) {
    const folder = suites.size === 1 ? place.runFolder : folderOf(place, own)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), `${JSON.stringify(describe(own), null, 2)}\n`)
  }
}

// Each case's runs are in a folder of the suite.
function folderOf({ root, runFolder }: SuitesPlace, results: readonly [CaseResult, ...SuiteResults]): string {
  const folder = results.flatMap(({ runs }) => runs.flatMap((run) => run.folder ?? []))[0]
  return folder === undefined ? suiteFolder(root, runFolder, results[0]) : dirname(dirname(join(root, folder)))
}
