import { basename } from 'node:path'
import { listEntries } from '../files.ts'
import { isSecret } from '../suites/hidden-paths.ts'
import { ignoredFilesIn } from './ask-git.ts'

/**
 * What is odd about an overlay, as the end of a sentence about it; `null` when nothing is. Of what git ignores a fresh
 * clone has nothing. Looked at once per process.
 */
export function remarkOnOverlay(overlay: string): Promise<string | null> {
  const known = remarks.get(overlay) ?? look(overlay)
  remarks.set(overlay, known)
  return known
}

const remarks = new Map<string, Promise<string | null>>()

async function look(overlay: string): Promise<string | null> {
  if (isEmpty(overlay)) return 'is empty, so it has no effect'
  // A secret is not to be committed.
  const all = (await ignoredFilesIn(overlay)).filter((path) => !isSecret(basename(path)))
  const ignored = all.filter((path) => !isInstalled(path))
  const [first] = ignored
  // Nobody commits what is installed.
  if (first === undefined)
    return all.length === 0
      ? null
      : 'holds node_modules, which git ignores, so a fresh clone does not have it; install it there before a run'
  const what =
    ignored.length === 1
      ? `a file that git ignores (${first})`
      : `${ignored.length} files that git ignores (such as ${first})`
  return `holds ${what}, so a fresh clone does not have it; run git add --force`
}

function isInstalled(path: string): boolean {
  return path.split('/').includes('node_modules')
}

function isEmpty(folder: string): boolean {
  return listEntries(folder, true).every((entry) => entry.isDirectory())
}
