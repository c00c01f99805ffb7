import { realpathSync, statSync, type Stats } from 'node:fs'
import { sep } from 'node:path'

/** What a link leads to. */
interface Followed {
  /** Absolute path without links. */
  readonly file: string
  readonly stats: Stats
}

/**
 * Follows links on the way to a path as far as these stay in a folder, and out of its repository and its secrets. Else the
 * reason, as the end of a sentence about the link.
 */
export function followLink(path: string, within: string): Followed | string {
  try {
    const file = realpathSync(path)
    const home = realpathSync(within)
    if (!isBelow(file, home)) return 'is a symbolic link that leads out'
    if (file.slice(home.length).split(sep).some(isPrivateName)) return 'is a symbolic link to something that stays out'
    return { file, stats: statSync(file) }
  } catch {
    return 'is a symbolic link that leads nowhere'
  }
}

/** Whether a path is a folder or is below it; both without links. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

/** Whether a file or folder of this name is the repository itself or holds secrets. */
function isPrivateName(name: string): boolean {
  return /^\.(?:git|env.*|netrc|npmrc|pypirc)$/i.test(name)
}
