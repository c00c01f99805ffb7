import type { Vitest } from 'vitest/node'

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

/** The same in both majors, and not among their types. */
interface WatcherOfVitest {
  readonly changedTests: Set<string>
  readonly scheduleRerun: (file: string) => void
}
