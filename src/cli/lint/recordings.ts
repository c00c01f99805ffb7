import { readdirSync, rmSync, rmdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { kindOf } from '../../formats/kinds.ts'
import { TEST_FORMAT } from '../../formats/paths.ts'
import type { Suite } from '../../formats/suite.ts'
import { errorIn, warningIn, type Issue } from '../../lib/documents/document.ts'
import { AgentEvalsError, withRemedy } from '../../lib/errors.ts'
import { linkOnTheWay, listEntries } from '../../lib/files.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { readRecording, recordingFile } from '../../recordings/store.ts'

/** A package with everything that may own a recording. */
export interface RecordedPackage {
  readonly packageRoot: string
  readonly suites: readonly Suite[]
  /** Evals written in TypeScript: absolute paths. Their recordings are left alone: which tests they hold is not known. */
  readonly evalFiles: readonly string[]
}

/** What is wrong with the recordings of a package, and which of them no case uses. */
export function findRecordingIssues(pkg: RecordedPackage): readonly Issue[] {
  const link = linkOnTheWay(pkg.packageRoot, folderOf(pkg.packageRoot))
  if (link !== null)
    return [errorIn(link, 'recording-invalid', 'is a symbolic link: no recording is written or pruned through it')]
  const orphans = new Set(findOrphans(pkg))
  return listRecordings(pkg.packageRoot).flatMap((file) => {
    if (orphans.has(file))
      return [
        warningIn(
          file,
          'recording-without-case',
          'no case uses this recording; npx vitest-agent-evals lint --prune removes it',
        ),
      ]
    const problem = problemOf(file)
    return problem === null ? [] : [errorIn(file, 'recording-invalid', problem)]
  })
}

/** Removes the recordings that no case uses, and the folders they leave empty. */
export function pruneRecordings(pkg: RecordedPackage): readonly string[] {
  const orphans = findOrphans(pkg)
  for (const file of orphans) {
    rmSync(file)
    removeEmpty(dirname(file), folderOf(pkg.packageRoot))
  }
  return orphans
}

/** Whether a suite cannot be read: any recording may be that of one of its cases. */
export function hasUnknownCases(suites: readonly Pick<Suite, 'issues'>[]): boolean {
  return suites.some(({ issues }) => issues.some(({ severity }) => severity === 'error'))
}

function findOrphans({ packageRoot, suites, evalFiles }: RecordedPackage): readonly string[] {
  if (hasUnknownCases(suites)) return []
  const placeOf = (format: string, file: string, caseId: string): string => {
    const suite = pathFrom(packageRoot, file)
    const key = { packageRoot, format, suite, caseId, engine: 'x', arm: 'with_skill', run: 1 } as const
    return recordingFile(key)
  }
  const owned = new Set(
    suites.flatMap((suite) =>
      suite.cases.map((one) => dirname(placeOf(suite.format, suite.file, kindOf(one).slug(one)))),
    ),
  )
  const open = evalFiles.map((file) => `${dirname(dirname(placeOf(TEST_FORMAT, file, 'x')))}${sep}`)
  return listRecordings(packageRoot).filter(
    (file) => !owned.has(dirname(file)) && !open.some((folder) => file.startsWith(folder)),
  )
}

function listRecordings(packageRoot: string): readonly string[] {
  if (linkOnTheWay(packageRoot, folderOf(packageRoot)) !== null) return []
  return listEntries(folderOf(packageRoot), true)
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

function folderOf(packageRoot: string): string {
  return join(packageRoot, 'evals', 'recordings')
}

function problemOf(file: string): string | null {
  try {
    readRecording(file)
    return null
  } catch (error) {
    if (error instanceof AgentEvalsError) return withRemedy(error).replace(`${file} `, '').replace('\n', ' ')
    throw error
  }
}

function removeEmpty(folder: string, top: string): void {
  if (!folder.startsWith(`${top}${sep}`) || readdirSync(folder).length > 0) return
  rmdirSync(folder)
  removeEmpty(dirname(folder), top)
}
