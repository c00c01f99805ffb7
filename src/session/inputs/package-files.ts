import { createHash } from 'node:crypto'
import { closeSync, readSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AgentEvalsError } from '../../lib/errors.ts'
import { sumOf } from '../../lib/lists.ts'
import { openRegular } from '../../lib/workspace-file.ts'
import {
  PLUGIN_FOLDERS,
  PROJECT_FOLDER,
  PROJECT_INSTRUCTIONS,
  pathFrom,
  declaredName,
} from '../../packages/package-root.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { Input } from '../../recordings/input.ts'
import {
  foldersOf,
  isWorthNaming,
  listTree,
  targetOf,
  withTargets,
  type FolderLink,
  type SkippedEntry,
  type TreeFile,
} from './list-tree.ts'
import { packagePathFilter } from './package-path.ts'

/** A file of the package that reaches a session. */
interface PackageFile extends TreeFile, Role {}

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

type Role = Pick<Input, 'part' | 'role'>

/** Says what each path of a package is to its sessions, by the parts that were read from it. */
export function packageRole(pkg: AgentPackage): (path: string) => Role {
  // What an agent knows, its persona included, is one thing: its vault.
  if (pkg.vault === true) return () => ({ role: 'vault', part: null })
  const below = (file: string): string => pathFrom(pkg.root, file)
  const files = new Map<string, Role>([['package.agent.lock', { role: 'lock', part: null }]])
  if (pkg.manifest !== null) files.set(below(pkg.manifest.file), { role: 'manifest', part: null })
  if (pkg.hooksFile !== null) files.set(below(pkg.hooksFile), { role: 'hook', part: null })
  if (pkg.mcpFile !== null) files.set(below(pkg.mcpFile), { role: 'mcp', part: null })
  if (pkg.instructionsFile !== null) files.set(below(pkg.instructionsFile), { role: 'instructions', part: null })
  for (const command of pkg.commands) files.set(below(command.file), { role: 'command', part: command.name })
  for (const rule of pkg.rules) files.set(below(rule.file), { role: 'rule', part: rule.name })
  for (const agent of pkg.agents) {
    files.set(below(agent.file), { role: 'agent', part: agent.name })
    files.set(below(agent.promptFile), { role: 'agent', part: agent.name })
  }
  const folders: readonly (readonly [string, Role])[] = [
    ...pkg.skills.map(
      (skill) => [skill.dir === pkg.root ? '' : `${below(skill.dir)}/`, { role: 'skill', part: skill.name }] as const,
    ),
    ...pkg.rules.flatMap((rule) => ownFolder(below(rule.file), { role: 'rule', part: rule.name })),
    ...pkg.agents.flatMap((agent) => ownFolder(below(agent.file), { role: 'agent', part: agent.name })),
    ['skills/', { role: 'skill', part: null }],
    ['agents/', { role: 'agent', part: null }],
    ['commands/', { role: 'command', part: null }],
    ['rules/', { role: 'rule', part: null }],
    ['hooks/', { role: 'hook', part: null }],
    ['mcp/', { role: 'mcp', part: null }],
    [`${PROJECT_FOLDER}/hooks/`, { role: 'hook', part: null }],
    [`${PROJECT_FOLDER}/rules/`, { role: 'rule', part: null }],
  ]
  for (const name of [PROJECT_INSTRUCTIONS, `${PROJECT_FOLDER}/${PROJECT_INSTRUCTIONS}`]) {
    if (pkg.layout === 'project') files.set(name, { role: 'instructions', part: null })
  }
  return (path) =>
    files.get(path) ?? folders.find(([folder]) => path.startsWith(folder))?.[1] ?? { role: 'package-file', part: null }
}

function ownFolder(file: string, is: Role): readonly (readonly [string, Role])[] {
  const folder = dirname(file)
  return folder.split('/').length > 1 ? [[`${folder}/`, is]] : []
}

/** The skill that is to be missed. */
interface MissedSkill {
  readonly name: string
  /** Absolute path of its folder. */
  readonly dir: string
}

/**
 * The files of a folder without those of a skill, of its copies under any path, and what lists it as part of a plugin.
 *
 * @param root - absolute path of the folder; a skill that is the folder itself takes all of it.
 */
export function withoutSkill<File extends TreeFile>(
  files: readonly File[],
  skill: MissedSkill,
  root: string,
): readonly File[] {
  const copies = files.flatMap(({ path, file }) => {
    if (basename(path) !== 'SKILL.md') return []
    const folder = dirname(path)
    return basename(folder) === skill.name || declaredName(file) === skill.name ? [folder] : []
  })
  const folders = [...new Set([pathFrom(root, skill.dir) || '.', ...copies])]
  return files.filter(
    ({ path }) =>
      !PLUGIN_FOLDERS.some((folder) => path.startsWith(`${folder}/`)) &&
      !folders.some((folder) => folder === '.' || path.startsWith(`${folder}/`)),
  )
}

/** Remembers hashes and package listings, so that 500 cases of one package read it once. */
export interface InputCache {
  /** SHA-256 of a file; read again only when its time or size has changed. */
  hash(file: string): Promise<string>
  /** Whether a file could be executed when it was last hashed; `false` for one that never was. */
  isExecutable(file: string): boolean
  /** The package's files, listed once per package that was read. */
  packageFiles(pkg: AgentPackage): PackageFiles
  /** Runs `make` once per package that was read. */
  perPackage<Value>(pkg: AgentPackage, key: string, make: () => Value): Value
}

/** Makes a cache. One per process: its keys are the identity of packages, and path, time and size of files. */
export function createInputCache(): InputCache {
  const hashes = new Map<string, { readonly stamp: string; readonly hash: string; readonly isExecutable: boolean }>()
  const packages = new WeakMap<AgentPackage, Map<string, unknown>>()

  const perPackage = <Value>(pkg: AgentPackage, key: string, make: () => Value): Value => {
    const values = packages.get(pkg) ?? new Map<string, unknown>()
    packages.set(pkg, values)
    if (!values.has(key)) values.set(key, make())
    return values.get(key) as Value
  }

  return {
    perPackage,
    packageFiles: (pkg) => perPackage(pkg, 'files', () => listPackageFiles(pkg)),
    isExecutable: (file) => hashes.get(file)?.isExecutable === true,
    async hash(file) {
      const opened = openRegular(file)
      if (!opened.ok) throw unreadable(file, opened.code, opened.reason)
      try {
        const { stat, fd } = opened
        const stamp = `${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}:${stat.ino}`
        const earlier = hashes.get(file)
        if (earlier?.stamp === stamp) return earlier.hash
        const { hash } = await hashOpenFile(fd, Number.POSITIVE_INFINITY)
        hashes.set(file, { stamp, hash, isExecutable: (Number(stat.mode) & 0o111) !== 0 })
        return hash
      } finally {
        closeSync(opened.fd)
      }
    },
  }
}

function unreadable(file: string, code: string, reason: string): AgentEvalsError {
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new AgentEvalsError('missing-input', `${file} no longer exists. Run again.`)
  }
  return new AgentEvalsError('unsafe-path', `${file} ${reason}. Put a regular file there that can be read.`)
}

/** Hashes what an open file holds, at most `maxBytes` of it, and lets other work go on during a large one. */
export async function hashOpenFile(
  fd: number,
  maxBytes: number,
): Promise<{ readonly hash: string; readonly size: number }> {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK)
  let size = 0
  for (;;) {
    const count = readSync(fd, chunk, 0, Math.min(CHUNK, maxBytes - size), size)
    if (count === 0) return { hash: hash.digest('hex'), size }
    hash.update(chunk.subarray(0, count))
    size += count
    if (size % TURN < count) await nextTurn()
  }
}

const CHUNK = 65_536
const TURN = 2_097_152
