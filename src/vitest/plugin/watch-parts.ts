import { testPlaceOf } from '../../suites/test-place.ts'
import type { Vitest } from 'vitest/node'
import type { TestStore } from './suite-store.ts'

/**
 * Makes a watching Vitest run the tests of a skill, of the hooks or of the commands again when a file of theirs was
 * changed or added: no import leads from a test to its scripts.
 */
export function watchParts(vitest: Vitest, store: TestStore, suites: readonly string[]): void {
  const known = new Set(suites)
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
      const concerned = [...known].filter((suite) => isBelowPart(path, suite))
      if (concerned.length === 0) return undefined
      runImporters(vitest, file)
      return concerned
    },
  })
}

function isBelowPart(file: string, suite: string): boolean {
  const place = testPlaceOf(suite)
  return place !== null && file.startsWith(`${place.partDir}/`) && !file.includes('/node_modules/')
}

// A script may be imported by tests of the user's own, which Vitest no longer looks for once a trigger has answered.
function runImporters({ watcher }: Vitest, file: string): void {
  ;(watcher as unknown as { readonly handleFileChanged?: (file: string) => unknown }).handleFileChanged?.(file)
}
