import { relative, resolve } from 'node:path'
import type { TestProject, Vitest } from 'vitest/node'
import { escapePath } from '../../formats/discover.ts'

/** Reports every file that is changed, added or removed while Vitest watches. */
export function watchFiles({ vite }: Vitest, take: (file: string, event: FileEvent) => void): void {
  for (const event of FILE_EVENTS) vite.watcher.on(event, (file) => take(file.replaceAll('\\', '/'), event))
}

type FileEvent = (typeof FILE_EVENTS)[number]

const FILE_EVENTS = ['add', 'change', 'unlink'] as const

/**
 * Makes a watching Vitest run test files again, as it does for those that import what was changed. No import leads from
 * a case to what it depends on. Vitest's own triggers (`watchTriggerPatterns`) know nothing of removed files, and what
 * they answer keeps it from running the user's tests that import the file.
 */
export function runAgain({ watcher }: Vitest, testFiles: Iterable<string>, because: string): void {
  const { changedTests, scheduleRerun } = watcher as unknown as WatcherOfVitest
  for (const file of testFiles) changedTests.add(file)
  scheduleRerun.call(watcher, because)
}

/** Takes back that these files run again: they are about to. */
export function forgetRerun({ watcher }: Vitest, testFiles: Iterable<string>): void {
  const { changedTests } = watcher as unknown as WatcherOfVitest
  for (const file of testFiles) changedTests.delete(file)
}

/** Makes a new file a test file of a project, unless its patterns leave it out; `false` then. */
export function takeFile(project: TestProject, file: string, hasOwnInclude: boolean): boolean {
  if (project.matchesTestGlob(file)) return true
  if (hasOwnInclude) return false
  const { config } = project
  config.include.push(escapePath(relative(config.root, file)))
  return project.matchesTestGlob(file)
}

/** Makes Vitest forget a test file that is none any more, as it does itself with one that was deleted. */
export function leaveFile({ watcher }: Vitest, file: string): void {
  ;(watcher as unknown as WatcherOfVitest).onFileDelete(file)
}

/** The same in both majors, and not among their types. */
interface WatcherOfVitest {
  readonly changedTests: Set<string>
  readonly scheduleRerun: (file: string) => void
  readonly onFileDelete: (file: string) => void
}

/**
 * Makes `vitest related` and `--changed` select test files that depend on the changed files without importing them: they
 * are added to those that Vitest takes for changed itself.
 */
export async function selectBySource(
  { config, vcs }: Vitest,
  find: (files: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const expand = async (files: readonly string[]): Promise<string[]> => {
    const paths = files.map((file) => resolve(config.root, file).replaceAll('\\', '/'))
    return [...new Set([...paths, ...(await find(paths))])]
  }
  if (config.related !== undefined) {
    const expanded = await expand(config.related)
    // Our other project may have added its own meanwhile.
    config.related = [...new Set([...config.related, ...expanded])]
  } else if (config.changed !== undefined && config.changed !== false) {
    const findChangedFiles = vcs.findChangedFiles.bind(vcs)
    vcs.findChangedFiles = async (options) => expand(await findChangedFiles(options))
  }
}
