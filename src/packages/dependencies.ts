import { dirname, join, resolve } from 'node:path'
import { readDocument } from '../documents/read-document.ts'
import { valueAt } from '../documents/document.ts'
import { isJsonObject } from '../json.ts'
import { checkRelativePath } from '../documents/relative-path.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { PackageFinding } from './package.ts'
import { fileFinding } from './finding.ts'

const LOCK_NAME = 'package.agent.lock'

/** Below a package or any folder above it, up to the repository's. */
const INSTALL_FOLDERS = ['.agent-packages', '.aam/packages', 'node_modules']

/**
 * Names of the lock file's packages, or of the manifest's when there is no lock, that are installed nowhere.
 * Dependencies are only looked for, never resolved or installed.
 */
export async function findMissingDependencies(
  root: string,
  declared: readonly string[],
  fs: TrackedFs,
): Promise<{ readonly missing: readonly string[]; readonly findings: readonly PackageFinding[] }> {
  const file = join(root, LOCK_NAME)
  const hasLock = fs.look(file) !== null
  const { text, issue } = hasLock ? await fs.readText(file) : { text: null, issue: null }
  if (issue !== null) return { missing: [], findings: [{ ...issue, severity: 'warning', part: null }] }
  if (text === null) return { missing: declared.filter((name) => !isInstalled(root, name, null, fs)), findings: [] }

  const document = readDocument(text, { kind: 'json', file, what: 'lock' })
  const broken = document.issues.map((found): PackageFinding => ({ ...found, severity: 'warning', part: null }))
  if (broken.length > 0) return { missing: [], findings: broken }

  const resolved = valueAt(document.value, 'resolved')
  if (!isJsonObject(resolved)) {
    const message = 'the lock file has no `resolved` object; write it again with the package manager'
    return { missing: [], findings: [fileFinding(null, 'warning', file, 'lock', message)] }
  }

  const names = [...new Set([...Object.keys(resolved), ...declared])]
  const missing = names.filter((name) => !isInstalled(root, name, localPath(resolved[name]), fs))
  return { missing, findings: [] }
}

// A `file` or `bundle` source names a path instead of an install folder.
function localPath(entry: unknown): string | null {
  const path = valueAt(valueAt(entry, 'source'), 'path')
  return typeof path === 'string' ? path : null
}

function isInstalled(root: string, name: string, path: string | null, fs: TrackedFs): boolean {
  if (path !== null && fs.look(resolve(root, path)) !== null) return true
  if (checkRelativePath(name) !== null) return false

  // `@scope/name` is at `scope--name` where the package manager flattens scopes.
  const flattened = name.replace(/^@([^/]+)\//, '$1--')
  return foldersUpwards(root, fs).some((folder) =>
    INSTALL_FOLDERS.some(
      (install) => exists(join(folder, install, name), fs) || exists(join(folder, install, flattened), fs),
    ),
  )
}

function exists(path: string, fs: TrackedFs): boolean {
  return fs.look(path) !== null
}

function foldersUpwards(root: string, fs: TrackedFs): readonly string[] {
  const folders = [root]
  for (let folder = root; !exists(join(folder, '.git'), fs) && dirname(folder) !== folder;) {
    folder = dirname(folder)
    folders.push(folder)
  }

  return folders
}
