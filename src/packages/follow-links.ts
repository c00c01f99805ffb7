import { realpathSync, type Stats } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { errorIn } from '../lib/documents/document.ts'
import type { FsEntry, TrackedFs } from '../lib/documents/read-text.ts'
import { checkoutAround, foldersUpTo, linkOnTheWay } from '../lib/files.ts'
import { followLink, isBelow } from '../lib/links.ts'
import { findingsOf, type PackageFinding } from './package.ts'

/** The files of a package as Claude Code sees it, which follows links. */
export interface FollowingFs extends TrackedFs {
  /** Links that were met and could not be followed, as errors. */
  readonly lost: () => readonly PackageFinding[]
}

// Folders that link to each other can hold more paths than can be read.
const MAX_ENTRIES = 2000

/** Follows links that stay in the repository of a package, else in the package; every other link stays one. */
export function followLinks(fs: TrackedFs, root: string): FollowingFs {
  const within = checkoutAround(root) ?? root
  const lost = new Map<string, string>()
  let count = 0
  const realOf = (path: string): string => {
    if (!path.startsWith(`${root}${sep}`) || linkOnTheWay(root, path) === null) return path
    const followed = followLink(path, within)
    if (typeof followed === 'string') return path
    // Above the repository, paths stay as they were asked for.
    return join(within, relative(realpathSync(within), followed.file))
  }
  // The link is looked at, too, so that a change of it is noticed.
  const look = (path: string): Stats | null => {
    const found = fs.look(path)
    const real = realOf(path)
    return real === path ? found : fs.look(real)
  }
  const followTo = (path: string): Stats | null => {
    const followed = followLink(path, within)
    const reason = typeof followed === 'string' ? followed : 'is a symbolic link to a folder that it lies in'
    // Also where other links lie between: folders that link to each other would have no end.
    const isLost =
      typeof followed === 'string' ||
      foldersUpTo(root, dirname(path)).some((one) => isBelow(realpathSync(one), followed.file))
    if (isLost) lost.set(path, reason)
    return isLost ? null : followed.stats
  }
  const follow = (folder: string, entry: FsEntry): FsEntry => {
    const stats = entry.isSymbolicLink() ? followTo(join(folder, entry.name)) : null
    if (stats === null) return entry
    return {
      name: entry.name,
      isFile: () => stats.isFile(),
      isDirectory: () => stats.isDirectory(),
      isFIFO: () => stats.isFIFO(),
      isSocket: () => stats.isSocket(),
      isSymbolicLink: () => false,
    }
  }
  return {
    isUnchanged: fs.isUnchanged,
    look,
    realOf,
    readText(file, maxBytes) {
      look(file)
      return fs.readText(realOf(file), maxBytes)
    },
    async list(folder) {
      look(folder)
      if (fs.look(folder)?.isSymbolicLink() === true && followTo(folder) === null) return []
      const real = realOf(folder)
      const entries = await fs.list(real)
      if (real !== folder) count += entries.length
      if (count <= MAX_ENTRIES) return entries.map((entry) => follow(folder, entry))
      lost.set(root, `holds more than ${MAX_ENTRIES} files and folders behind links; only that many are read`)
      return []
    },
    lost: () =>
      findingsOf(
        null,
        [...lost].map(([path, reason]) => errorIn(path, 'link-not-followed', reason)),
      ),
  }
}
