import { lstatSync, readdirSync, realpathSync, statSync, type Dirent } from 'node:fs'
import { join, posix } from 'node:path'
import { firstInSentence } from '../../lib/lists.ts'
import { compareTexts } from '../../lib/text.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { AgentPackage } from '../../packages/package.ts'

/** A regular file of a tree. */
export interface TreeFile {
  /** Absolute path; never a link. */
  readonly file: string
  /** Path below the tree's root, `/`-separated. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly mode: number
  /** For a link within the tree: what it says, relative to its folder. `file` is the file that it leads to. */
  readonly link?: string
}

/** A link to a folder of the same tree. */
export interface FolderLink {
  /** Path below the tree's root, `/`-separated. */
  readonly path: string
  /** What it says, relative to its folder. */
  readonly link: string
}

/** What a tree holds that is not copied, and why. */
export interface SkippedEntry {
  /** Path below the tree's root, `/`-separated. */
  readonly path: string
  /** Such as `is a symbolic link`. */
  readonly reason: string
}

/** The regular files of a tree, sorted by path, and what was left out of it for safety. */
export interface Tree {
  readonly files: readonly TreeFile[]
  readonly links: readonly FolderLink[]
  readonly skipped: readonly SkippedEntry[]
  /** Whether `maxFiles` ended the listing. */
  readonly truncated: boolean
}

/** What is left out of a tree, and how much of it is listed. */
interface TreeOptions {
  /** Paths that are left out silently, folders with all they hold. */
  readonly exclude?: (path: string, isFolder: boolean) => boolean
  readonly maxFiles?: number
}

/**
 * Lists a folder without following links out of it. A link within the tree is listed with what it says
 * (`CLAUDE.md -> AGENTS.md` is common); every other link, and whatever is no file, is skipped by name.
 */
export function listTree(root: string, options: TreeOptions = {}): Tree {
  const exclude = options.exclude ?? (() => false)
  const maxFiles = options.maxFiles ?? Number.POSITIVE_INFINITY
  const files: TreeFile[] = []
  const links: FolderLink[] = []
  const skipped: SkippedEntry[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = readFolder(join(root, folder))
    if (entries === null) skipped.push({ path: folder, reason: 'may not be read' })
    for (const entry of entries ?? []) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (exclude(path, entry.isDirectory())) continue
      if (entry.isDirectory()) {
        folders.push(path)
        continue
      }
      if (files.length >= maxFiles) return { files: sortByPath(files), links, skipped, truncated: true }
      const found = entry.isSymbolicLink() ? readLink(root, path, exclude) : regularFile(root, path)
      if (typeof found === 'string') skipped.push({ path, reason: found })
      else if ('file' in found) files.push(found)
      else links.push(found)
    }
  }
  return { files: sortByPath(files), links: sortByPath(links), skipped: sortByPath(skipped), truncated: false }
}

/** Says what an entry is that is not a regular file. */
export function kindOf(entry: Pick<Dirent, 'isSymbolicLink' | 'isFIFO' | 'isSocket' | 'isDirectory'>): string {
  if (entry.isSymbolicLink()) return 'is a symbolic link'
  if (entry.isDirectory()) return 'is a folder'
  if (entry.isFIFO()) return 'is a named pipe'
  if (entry.isSocket()) return 'is a socket'
  return 'is a device'
}

function readFolder(folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    if (code === 'EACCES' || code === 'EPERM') return null
    throw error
  }
}

function regularFile(root: string, path: string): TreeFile | string {
  const file = join(root, path)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return 'is gone'
  return found.isFile() ? { file, path, size: found.size, mode: found.mode } : kindOf(found)
}

/** Reads a link of a tree; a reason where it does not lead to something of the tree that is listed, too. */
export function readLink(
  root: string,
  path: string,
  exclude: NonNullable<TreeOptions['exclude']>,
): FolderLink | TreeFile | string {
  try {
    const file = realpathSync(join(root, path))
    const inside = pathFrom(realpathSync(root), file)
    const found = statSync(file)
    if (inside === '' || inside === '..' || inside.startsWith('../')) return 'is a symbolic link out of the folder'
    if (!found.isFile() && !found.isDirectory()) return 'is a symbolic link to something that is not a file'
    if (isExcluded(inside, exclude, found.isDirectory())) return 'is a symbolic link to something that stays out'
    const link = posix.relative(posix.dirname(path), inside)
    // A folder that holds the link would have no end.
    if (found.isDirectory())
      return `${path}/`.startsWith(`${inside}/`) ? 'is a symbolic link to its own folder' : { path, link }
    return { file, path, size: found.size, mode: found.mode, link }
  } catch {
    return 'is a symbolic link that leads nowhere'
  }
}

/** Whether a path, or a folder above it, stays out. */
function isExcluded(path: string, exclude: NonNullable<TreeOptions['exclude']>, isFolder: boolean = false): boolean {
  const segments = path.split('/')
  return segments.some((_, index) =>
    exclude(segments.slice(0, index + 1).join('/'), isFolder || index < segments.length - 1),
  )
}

/** In the order of their paths. */
export function sortByPath<Entry extends { readonly path: string }>(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => compareTexts(a.path, b.path))
}

/** Path below the tree's root that a link leads to. */
export function targetOf({ path, link }: FolderLink): string {
  return posix.join(posix.dirname(path), link)
}

/** All folders that hold some of these files. */
export function foldersOf(files: readonly Pick<TreeFile, 'path'>[]): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const { path } of files) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.add(path.slice(0, end))
  }
  return folders
}

/** The files whose links lead to one of them: what stays out is not to be read through a link either. */
export function withTargets<File extends TreeFile>(files: readonly File[]): readonly File[] {
  if (files.every(({ link }) => link === undefined)) return files
  const real = new Set(files.flatMap(({ path, link }) => (link === undefined ? [path] : [])))
  return files.filter(({ path, link }) => link === undefined || real.has(targetOf({ path, link })))
}

/** A part of a tree by itself, below `from`: a link that leads out of it becomes what it leads to. */
export function belowFolder<File extends TreeFile>(
  { files, links }: { readonly files: readonly File[]; readonly links: readonly FolderLink[] },
  from: string,
): { readonly files: readonly File[]; readonly links: readonly FolderLink[] } {
  const start = from === '' ? '' : `${from}/`
  const ownFiles = files.filter(({ path }) => path.startsWith(start))
  const isInside = (link: FolderLink): boolean => `${targetOf(link)}/`.startsWith(start)
  const ownLinks = links.filter(({ path }) => path.startsWith(start))
  const expanded = ownLinks.flatMap((link): readonly File[] => {
    const target = `${targetOf(link)}/`
    if (isInside(link)) return []
    return files.flatMap((file) =>
      file.path.startsWith(target) ? [contentOf(file, `${link.path}/${file.path.slice(target.length)}`)] : [],
    )
  })
  const kept = ownFiles.map((file) => {
    const { path, link } = file
    return link === undefined || isInside({ path, link }) ? file : contentOf(file, path)
  })
  const reroot = <Entry extends { readonly path: string }>(entry: Entry): Entry => {
    return { ...entry, path: entry.path.slice(start.length) }
  }
  return { files: [...kept, ...expanded].map(reroot), links: ownLinks.filter(isInside).map(reroot) }
}

/** A file at another path, without being a link. */
export function contentOf<File extends TreeFile>(file: File, path: string): File {
  const { link: _link, ...content } = file
  return { ...content, path } as File
}

/** Whether something that stays out of a copy is worth a word: answers, secrets and litter always stay out. */
export function isWorthNaming(path: string, isFolder: boolean, pkg?: Pick<AgentPackage, 'only'>): boolean {
  if (pkg?.only !== undefined && !pkg.only.some((part) => path === part || path.startsWith(`${part}/`))) return false
  const parts = path.split('/')
  if (parts.some((part) => NEVER.has(part))) return false
  const name = parts.at(-1) ?? ''
  return isFolder || (!name.startsWith('.env') && !name.startsWith('.git') && !name.endsWith('.pyc'))
}

const NEVER: ReadonlySet<string> = new Set([
  '.DS_Store',
  '.git',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pytest_cache',
  '.vitest',
  'Thumbs.db',
  '__pycache__',
  'evals',
  'tests',
])

/** Whether all that was left out are dependencies and hidden files, which every project has. */
export function isUsual(paths: readonly string[]): boolean {
  return paths.every((path) => USUAL.test(path))
}

const USUAL = /^(?:[^(]*\/)?(?:node_modules|venv|\.[^/]+)\/?$/

/** One sentence on what stays out of the copies of a folder, and what brings it in. */
export function describeLeftOut(what: string, paths: readonly string[], advice?: string): string {
  return `Copies of ${what} leave out ${firstInSentence(paths, MOST)}.${advice === undefined ? '' : ` ${advice}`}`
}

const MOST = 10
