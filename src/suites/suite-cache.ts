import { openDisk, type Disk } from './disk.ts'
import { parseAamConfig, type AamConfig } from './formats/aam-config.ts'
import { loadPackage } from './load-package.ts'
import type { AgentPackage } from './package.ts'

/** What many suites share, read once while nothing it was read from changes. */
export interface SuiteCache {
  readonly packageOf: (root: string) => Promise<AgentPackage>
  readonly configOf: (file: string) => Promise<AamConfig>
}

/** Creates an empty cache, for one Vitest process. */
export function createSuiteCache(): SuiteCache {
  return {
    packageOf: remember((root, disk) => loadPackage(root, disk)),
    configOf: remember(async (file, disk) => parseAamConfig(await disk.readText(file), file)),
  }
}

interface Entry<T> {
  readonly disk: Disk
  readonly value: Promise<T>
  isFresh: boolean
}

function remember<T>(load: (key: string, disk: Disk) => Promise<T>): (key: string) => Promise<T> {
  const entries = new Map<string, Entry<T>>()
  return (key) => {
    const known = entries.get(key)
    if (known !== undefined && (known.isFresh || known.disk.isUnchanged())) return refresh(known)
    const disk = openDisk()
    const entry: Entry<T> = { disk, value: load(key, disk), isFresh: true }
    entries.set(key, entry)
    return refresh(entry)
  }
}

// Looking again costs a stat per file of the package. Suites that are loaded in the same turn share one look.
function refresh<T>(entry: Entry<T>): Promise<T> {
  entry.isFresh = true
  setImmediate(() => {
    entry.isFresh = false
  })
  return entry.value
}
