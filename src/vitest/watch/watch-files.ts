import { relative } from 'node:path'
import { escapePath } from '../../suites/discover.ts'
import type { TestProject, Vitest } from 'vitest/node'

/** Reports every file that is changed, added or removed while Vitest watches. */
export function watchFiles({ vite }: Vitest, take: (file: string) => void): void {
  const report = (file: string): void => take(file.replaceAll('\\', '/'))
  for (const event of ['add', 'change', 'unlink'] as const) vite.watcher.on(event, report)
}

/**
 * Makes a watching Vitest run test files again, as it does for those that import what was changed. No import leads from
 * a case to what it depends on, and its own triggers know nothing of removed files.
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
