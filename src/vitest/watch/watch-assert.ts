import type { Vitest } from 'vitest/node'
import { testPlaceOf } from '../../formats/places.ts'
import type { TestStore } from '../modules/suite-store.ts'
import { runAgain, selectBySource } from '../plugin/narrow-runs.ts'

/**
 * Makes a watching Vitest run the tests of a skill, of the hooks or of the commands again when a file of theirs was
 * changed, added or removed: no import leads from a test to its scripts.
 */
export async function watchAssert(vitest: Vitest, store: TestStore, suites: readonly string[]): Promise<void> {
  const known = new Set(suites)
  const concernedBy = (path: string): readonly string[] => [...known].filter((suite) => isBelowPart(path, suite))
  const patterns = (vitest.config.watchTriggerPatterns ??= [])
  patterns.push({
    pattern: /[^/\\]$/,
    testsToRun: (file) => {
      const path = file.replaceAll('\\', '/')
      if (store.owns(path)) {
        known.add(path)
        // A list, even an empty one, would keep Vitest from looking at the file itself.
        return undefined
      }
      const concerned = concernedBy(path)
      if (concerned.length === 0) return undefined
      runImporters(vitest, file)
      return [...concerned]
    },
  })
  // Vitest's triggers know nothing of removed files.
  vitest.vite.watcher.on('unlink', (file) => {
    const path = file.replaceAll('\\', '/')
    if (store.owns(path)) return void known.delete(path)
    const concerned = concernedBy(path)
    if (concerned.length > 0) runAgain(vitest, concerned, path)
  })
  await selectBySource(vitest, (files) => Promise.resolve(files.flatMap(concernedBy)))
}

function isBelowPart(file: string, suite: string): boolean {
  const place = testPlaceOf(suite)
  return place !== null && file.startsWith(`${place.partDir}/`) && !file.includes('/node_modules/')
}

// A script may be imported by tests of the user's own, which Vitest no longer looks for once a trigger has answered.
function runImporters({ watcher }: Vitest, file: string): void {
  ;(watcher as unknown as { readonly handleFileChanged?: (file: string) => unknown }).handleFileChanged?.(file)
}
