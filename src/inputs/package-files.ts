import { closeSync, readSync } from 'node:fs'
import { AgentEvalsError } from '../errors.ts'
import { isWorthNaming } from './left-out.ts'
import { listTree, type FolderLink, type SkippedEntry, type TreeFile } from './list-tree.ts'
import { foldersOf, targetOf, withTargets } from './links.ts'
import { openRegular } from './open-regular.ts'
import { packagePathFilter } from './package-path.ts'
import { packageRole } from './package-role.ts'
import { withoutSkill } from './without-skill.ts'
import { sumOf } from '../lists.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { Input } from './input.ts'

/** A file of the package that reaches a session. */
export interface PackageFile extends TreeFile, Pick<Input, 'role' | 'part'> {}

/** What of a package reaches a session. */
export interface PackageFiles {
  readonly files: readonly PackageFile[]
  /** Links to folders of the package that are copied, too. */
  readonly links: readonly FolderLink[]
  /** Links, pipes and the like, which are not copied. */
  readonly skipped: readonly SkippedEntry[]
  /** Folders of build results and hidden files, which are not copied either; a folder ends with a slash. */
  readonly leftOut: readonly string[]
}

/** Lists what of a package reaches a session: an engine installs all of it, so every case depends on all of it. */
export function listPackageFiles(pkg: AgentPackage): PackageFiles {
  const isKept = packagePathFilter(pkg)
  const leftOut: string[] = []
  const exclude = (path: string, isFolder: boolean): boolean => {
    const stays = !isKept(path, isFolder)
    if (stays && isWorthNaming(path, isFolder, pkg)) leftOut.push(isFolder ? `${path}/` : path)
    return stays
  }
  const found = listTree(pkg.root, { exclude, maxFiles: MAX_FILES })
  const roleOf = packageRole(pkg)
  const kept = found.files.filter((file) => !isReport(file))
  const tree = { ...found, files: withTargets(withoutLeftOut(kept, pkg, roleOf)) }
  const copied = foldersOf(tree.files)
  const bytes = sumOf(tree.files, (file) => file.size)
  if (tree.truncated) throw tooLarge(pkg, `more than ${MAX_FILES.toLocaleString('en')} files`)
  if (bytes > MAX_BYTES) throw tooLarge(pkg, `more than ${MAX_BYTES / 1_048_576} MiB`)
  return {
    files: tree.files.map((file) => ({ ...file, ...roleOf(file.path) })),
    links: tree.links.filter((link) => copied.has(targetOf(link))),
    skipped: tree.skipped,
    leftOut: [...new Set(leftOut)].toSorted(),
  }
}

// A skill that is the package itself leaves the other parts where they are.
function withoutLeftOut(files: readonly TreeFile[], pkg: AgentPackage, roleOf: RoleOf): readonly TreeFile[] {
  const { leftOut, root } = pkg
  if (leftOut === undefined) return files
  const isPart = ({ path }: TreeFile): boolean => !['manifest', 'package-file'].includes(roleOf(path).role)
  if (leftOut.dir === root) return files.filter(isPart)
  return withoutSkill(files, leftOut, root).filter(({ path }) => roleOf(path).role !== 'manifest')
}

type RoleOf = (path: string) => Pick<Input, 'role'>

// A report may have been written anywhere, and it holds verdicts and criteria: no session may read it.
function isReport({ file, path }: TreeFile): boolean {
  return path.endsWith('.json') && readStart(file).includes('"id": "eval-run-')
}

function readStart(file: string): string {
  const opened = openRegular(file)
  if (!opened.ok) return ''
  try {
    const start = Buffer.alloc(START_BYTES)
    return start.toString('utf8', 0, readSync(opened.fd, start, 0, START_BYTES, 0))
  } finally {
    closeSync(opened.fd)
  }
}

const START_BYTES = 256
const MAX_FILES = 20_000
const MAX_BYTES = 1_073_741_824

function tooLarge(pkg: AgentPackage, what: string): AgentEvalsError {
  return new AgentEvalsError(
    'workspace-failed',
    `The package ${pkg.root} has ${what}, and each run gets a copy. ` +
      'Give the package its own folder, or move files that no session needs out of it.',
  )
}
