import { lstatSync, type Dirent, type Stats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { readText, type ReadText } from './read-text.ts'

/** The file system as a loader sees it. Remembers what it was asked, so that its answer can be kept while nothing changed. */
export interface TrackedFs {
  /** Reads a regular file of valid UTF-8. */
  readonly readText: (file: string, maxBytes?: number) => Promise<ReadText>
  /** Entries of a folder by name; empty when there is no such folder. */
  readonly list: (folder: string) => Promise<readonly Dirent[]>
  /** The entry at a path, links not followed; `null` for none. */
  readonly look: (path: string) => Stats | null
  /** Whether everything that was looked at is still as it was. */
  readonly isUnchanged: () => boolean
}

/** Creates a disk that has not been looked at. */
export function openTrackedFs(): TrackedFs {
  const stamps = new Map<string, string>()
  const remember = (path: string): Stats | null => {
    const stats = lstatSync(path, { throwIfNoEntry: false }) ?? null
    if (!stamps.has(path)) stamps.set(path, stampOf(stats))
    return stats
  }

  return {
    look: (path) => lookSafely(() => remember(path)),
    readText(file, maxBytes) {
      lookSafely(() => remember(file))
      return readText(file, maxBytes)
    },
    async list(folder) {
      // `readdir` would follow a link out of the package.
      if (lookSafely(() => remember(folder))?.isDirectory() !== true) return []
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    },
    isUnchanged: () =>
      [...stamps].every(([path, stamp]) => {
        const stats = lookSafely(() => lstatSync(path, { throwIfNoEntry: false }) ?? null)
        return stampOf(stats) === stamp
      }),
  }
}

function lookSafely(look: () => Stats | null): Stats | null {
  try {
    return look()
  } catch {
    return null
  }
}

function stampOf(stats: Stats | null): string {
  return stats === null ? 'absent' : `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`
}
