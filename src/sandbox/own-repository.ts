import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/**
 * Finds the first of some files that is not the user's own: those in the git work tree of the Vitest root, tracked or
 * not, outside `node_modules`. `null` when all of them are. All paths are absolute.
 */
export function findForeignFile(root: string, files: readonly string[]): string | null {
  const workTrees = new Map<string, string | null>()
  const own = workTreeOf(realpathSync(root), workTrees)
  const isOwn = (file: string): boolean => {
    const real = realpathSync(file)
    return own !== null && !real.split(sep).includes('node_modules') && workTreeOf(dirname(real), workTrees) === own
  }
  return files.find((file) => !isOwn(file)) ?? null
}

/** Whether a folder is in a git work tree. */
export function isInRepository(folder: string): boolean {
  return workTreeOf(realpathSync(folder), new Map()) !== null
}

// The nearest one: a repository inside another, such as a submodule, is another's.
function workTreeOf(folder: string, known: Map<string, string | null>): string | null {
  const found = known.get(folder)
  if (found !== undefined) return found
  const above = dirname(folder)
  const workTree = existsSync(join(folder, '.git')) ? folder : above === folder ? null : workTreeOf(above, known)
  known.set(folder, workTree)
  return workTree
}
