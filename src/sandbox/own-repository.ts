import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { pathBelow } from '../packages/package-root.ts'

/**
 * Finds the first of some files that is not the user's own: those in the git work tree of the Vitest root, tracked or
 * not, outside `node_modules`. Where the root is in none, those below the root. `null` when all of them are. All paths
 * are absolute.
 */
export function findForeignFile(root: string, files: readonly string[]): string | null {
  const workTrees = new Map<string, string | null>()
  const realRoot = realpathSync(root)
  const own = workTreeOf(realRoot, workTrees)
  const isOwn = (file: string): boolean => {
    const real = realpathSync(file)
    if (real.split(sep).includes('node_modules') || workTreeOf(dirname(real), workTrees) !== own) return false
    return own !== null || pathBelow(realRoot, real) !== null
  }
  return files.find((file) => !isOwn(file)) ?? null
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
