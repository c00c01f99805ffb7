import { pathBelow } from '../packages/package-root.ts'
import type { Issue, Position } from '../documents/issue.ts'

/** What of a suite names its cases. */
export interface NamedSuite {
  readonly format: string
  readonly file: string
  readonly packageRoot: string
  /** Absolute path of the part among whose tests a name is unique; without it the package's. */
  readonly partDir?: string
  readonly cases: readonly NamedCase[]
}

interface NamedCase {
  readonly id: string
  readonly at: Position
}

/** The names of all cases seen so far, so that one more file costs its own cases only. */
export interface NameIndex {
  /** Adds the cases of a file in place of those it had before. */
  put(suite: NamedSuite): void
  /** Errors for cases of this file that share a name with another in the package, each naming the others. */
  issuesOf(file: string): readonly Issue[]
}

/** Errors for cases that share a name in one package: reports, recordings and reruns know a case by its name. */
export function findDuplicateNames(suites: readonly NamedSuite[]): readonly Issue[] {
  const index = createNameIndex()
  for (const suite of suites) index.put(suite)
  return suites.flatMap(({ file }) => index.issuesOf(file))
}

/** Creates an index without names. */
export function createNameIndex(): NameIndex {
  const groups = new Map<string, Set<Place>>()
  const files = new Map<string, readonly Place[]>()
  return {
    put(suite) {
      for (const place of files.get(suite.file) ?? []) groups.get(place.key)?.delete(place)
      const places = suite.cases.map((evalCase): Place => ({ suite, evalCase, key: keyOf(suite, evalCase) }))
      files.set(suite.file, places)
      for (const place of places) groups.set(place.key, (groups.get(place.key) ?? new Set()).add(place))
    },
    issuesOf: (file) =>
      (files.get(file) ?? []).flatMap((place) => {
        // Within one file its format has found them.
        const others = [...(groups.get(place.key) ?? [])].filter((other) => other.suite.file !== file)
        return others.length > 0 ? [wordDuplicate(place, others)] : []
      }),
  }
}

function keyOf({ format, partDir, packageRoot }: NamedSuite, { id }: NamedCase): string {
  return JSON.stringify([format, partDir ?? packageRoot, id])
}

interface Place {
  readonly suite: NamedSuite
  readonly evalCase: NamedCase
  /** What no other case of its package may have. */
  readonly key: string
}

function wordDuplicate({ suite, evalCase }: Place, others: readonly Place[]): Issue {
  return {
    code: 'duplicate-name',
    severity: 'error',
    file: suite.file,
    field: 'name',
    message: `${JSON.stringify(evalCase.id)} is also the name of the case at ${others.map(wordPlace).join(', ')}; rename one`,
    ...evalCase.at,
  }
}

function wordPlace({ suite, evalCase }: Place): string {
  const file = pathBelow(suite.packageRoot, suite.file) ?? suite.file
  return `${file}:${evalCase.at.line}:${evalCase.at.column}`
}
