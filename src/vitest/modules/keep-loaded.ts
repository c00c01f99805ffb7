import { openTrackedFs, type TrackedFs } from '../../documents/tracked-fs.ts'
import { isFile } from '../../files.ts'
import { createNameIndex, type NamedSuite } from '../../suites/duplicate-names.ts'
import type { Issue } from '../../documents/issue.ts'

interface Loadable extends NamedSuite {
  readonly issues: readonly Issue[]
}

/**
 * Reads each suite once while what it was read from stays the same, with errors for names that two files have.
 *
 * @param isSuite - whether a file that was read before still is a suite.
 */
export function keepLoaded<S extends Loadable>(
  load: (file: string, fs: TrackedFs) => Promise<S>,
  isSuite: (file: string) => boolean = isFile,
): (file: string) => Promise<S> {
  const loaded = new Map<string, { readonly fs: TrackedFs; readonly suite: Promise<S> }>()
  const loading = new Set<Promise<void>>()
  const names = createNameIndex(isSuite)

  function read(file: string): Promise<S> {
    const known = loaded.get(file)
    if (known?.fs.isUnchanged() === true) return known.suite
    const fs = openTrackedFs()
    const suite = load(file, fs)
    loaded.set(file, { fs, suite })
    // What a reading throws is thrown to those who asked for it.
    const indexed = suite.then((one) => names.put(one)).catch(() => undefined)
    loading.add(indexed)
    void indexed.then(() => loading.delete(indexed))
    return suite
  }

  return async (file) => {
    const suite = await read(file)
    // Those that are read at the same time may have the same names.
    await Promise.all(loading)
    const found = names.issuesOf(file)
    return found.length === 0 ? suite : { ...suite, issues: [...suite.issues, ...found] }
  }
}
