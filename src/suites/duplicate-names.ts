import { join } from 'node:path'
import { pathBelow, pathFrom } from '../packages/package-root.ts'
import { formats } from './formats/registry.ts'
import { isEvalCase, kindOf } from './kinds.ts'
import { toPathSegment } from './path-segment.ts'
import { recordingSegments } from './recording-segments.ts'
import type { CaseBase, CaseMatter } from './suite.ts'
import type { AssertCase } from './tests/test-suite.ts'
import type { Issue } from '../documents/issue.ts'

/** What of a suite names its cases. */
export interface NamedSuite {
  readonly format: string
  readonly file: string
  readonly packageRoot: string
  /** Absolute path of the part among whose tests a name is unique; without it the package's. */
  readonly partDir?: string
  readonly cases: readonly NamedCase[]
}

type NamedCase = Pick<CaseBase, 'at' | 'id'> & (CaseMatter | Pick<AssertCase, 'kind'>)

/** The names of all cases seen so far, so that one more file costs its own cases only. */
export interface NameIndex {
  /** Adds the cases of a file in place of those it had before. */
  put(suite: NamedSuite): void
  /** Errors for cases of this file that share a name or recordings with another in the package, each naming the others. */
  issuesOf(file: string): readonly Issue[]
}

/** Errors for cases that share a name in one package: reports, recordings and reruns know a case by its name. */
export function findDuplicateNames(suites: readonly NamedSuite[]): readonly Issue[] {
  const index = createNameIndex()
  for (const suite of suites) index.put(suite)
  return suites.flatMap(({ file }) => index.issuesOf(file))
}

/** Creates an index without names; cases of a file that is not `isThere` any more have given theirs back. */
export function createNameIndex(isThere: (file: string) => boolean = () => true): NameIndex {
  const groups = new Map<string, Set<Place>>()
  const files = new Map<string, readonly Place[]>()
  // Within one file its format has found them.
  const othersAt = (key: string | undefined, file: string): readonly Place[] =>
    [...(groups.get(key ?? '') ?? [])].filter(({ suite }) => suite.file !== file && isThere(suite.file))
  return {
    put(suite) {
      for (const place of files.get(suite.file) ?? []) for (const key of keysOf(place)) groups.get(key)?.delete(place)
      const places = placesOf(suite)
      files.set(suite.file, places)
      for (const place of places)
        for (const key of keysOf(place)) groups.set(key, (groups.get(key) ?? new Set()).add(place))
    },
    issuesOf: (file) =>
      (files.get(file) ?? []).flatMap((place) => {
        const sameName = othersAt(place.name, file)
        if (sameName.length > 0) return [wordDuplicate(place, sameName)]
        const sameRecordings = othersAt(place.recordings, file)
        if (sameRecordings.length > 0) return [wordShared(place, sameRecordings)]
        const sameTitle = othersAt(place.title, file)
        return sameTitle.length > 0 ? [wordSameTitle(place, sameTitle)] : []
      }),
  }
}

interface Place {
  readonly suite: NamedSuite
  readonly evalCase: NamedCase
  /** What no other case of its package may have. */
  readonly name: string
  /** Absolute path of its recordings: cases of two formats may have one id, and never one folder. Free tests have none. */
  readonly recordings?: string
  /** Name of a case whose id is another. */
  readonly title?: string
}

function keysOf({ name, recordings, title }: Place): readonly string[] {
  return [name, recordings, title].filter((key) => key !== undefined)
}

function placesOf(suite: NamedSuite): readonly Place[] {
  const { format, file, packageRoot, partDir, cases } = suite
  const named = formats[format]?.recordingFolder(pathFrom(packageRoot, file))
  const folder = named === undefined ? undefined : join(packageRoot, ...recordingSegments(named))
  return cases.map((evalCase) => ({
    suite,
    evalCase,
    name: JSON.stringify([format, partDir ?? packageRoot, evalCase.id]),
    ...(folder === undefined ? {} : { recordings: join(folder, toPathSegment(evalCase.id)) }),
    ...titleOf(evalCase, packageRoot),
  }))
}

function titleOf(evalCase: NamedCase, packageRoot: string): Pick<Place, 'title'> {
  const title = writtenTitle(evalCase)
  return title === null ? {} : { title: JSON.stringify(['title', packageRoot, title]) }
}

function writtenTitle(evalCase: NamedCase): string | null {
  return isEvalCase(evalCase) ? kindOf(evalCase).title(evalCase) : null
}

function wordDuplicate(place: Place, others: readonly Place[]): Issue {
  const message = `${JSON.stringify(place.evalCase.id)} is also the name of the case at ${others.map(wordPlace).join(', ')}; rename one`
  return issueOf(place, 'duplicate-name', message)
}

function wordShared(place: Place, others: readonly Place[]): Issue {
  const folder = pathFrom(place.suite.packageRoot, place.recordings ?? '')
  const message = `its recordings would be in ${folder}, like those of the case at ${others.map(wordPlace).join(', ')}; rename one, or its folder`
  return issueOf(place, 'shared-recordings', message)
}

function wordSameTitle(place: Place, others: readonly Place[]): Issue {
  const title = JSON.stringify(writtenTitle(place.evalCase))
  const message = `${title} is also the name of the case at ${others.map(wordPlace).join(', ')}; --case selects both, and reports show the name`
  return { ...issueOf(place, 'duplicate-name', message), severity: 'warning' }
}

function issueOf({ suite: { file }, evalCase }: Place, code: string, message: string): Issue {
  return { code, severity: 'error', file, field: 'name', message, ...evalCase.at }
}

function wordPlace({ suite, evalCase }: Place): string {
  const file = pathBelow(suite.packageRoot, suite.file) ?? suite.file
  return `${file}:${evalCase.at.line}:${evalCase.at.column}`
}
