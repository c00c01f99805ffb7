import { lstatSync, readdirSync, realpathSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { codeOf } from '../../lib/files.ts'
import { followLink, isBelow } from '../../lib/links.ts'
import { groupBy, sumOf } from '../../lib/lists.ts'
import { plural, compareTexts } from '../../lib/text.ts'
import { pathBelow, pathFrom } from '../../packages/package-root.ts'

/** A regular file that is copied. */
export interface ListedFile {
  /** Absolute path; never a link. */
  readonly file: string
  /** Path below the folder that is listed, `/`-separated. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly mode: number
}

/** What is in a folder and is not copied. */
export interface LeftOut {
  /** Path below the folder that is listed, `/`-separated; that of a folder ends with a slash. */
  readonly path: string
  /** The end of a sentence about it, such as `is a symbolic link that leads out`. */
  readonly why: string
}

/** What of a folder is copied, and what is not; both sorted by path. */
export interface Listing {
  readonly files: readonly ListedFile[]
  readonly leftOut: readonly LeftOut[]
}

/** Says why what is at a path, `/`-separated, is not copied, a folder with all that it holds; `null` where it is. */
export type Rule = (path: string, isFolder: boolean) => string | null

/** What of a folder is listed. */
interface ListOptions {
  /** Asked for each path below the root. @default nothing stays out */
  readonly rule?: Rule
  /** Asked for what links lead to, by its path below `project`, or else from `within`. @default `rule` */
  readonly linked?: Rule
  /** Absolute path. @default the root */
  readonly project?: string
  /** Asked for the place of each entry below the root, after every link. */
  readonly git?: Rule
  /** Absolute path of the folder in which links are followed. @default the root */
  readonly within?: string
  readonly limits?: CopyLimits
}

/** How much one copy may hold. */
export interface CopyLimits {
  readonly files: number
  readonly bytes: number
}

/** A folder on the way through a tree. */
interface Folder {
  readonly path: string
  /** Absolute path. */
  readonly at: string
  /** Real paths of the folders that links on the way were found in; empty above the first link. */
  readonly links: readonly string[]
}

/**
 * Lists a folder as a program sees it that follows links, as far as these stay `within`. Every other link, and whatever is
 * no file, stays out.
 *
 * @throws {AgentEvalsError} `workspace-failed` when it holds too much.
 */
export function listFiles(root: string, options: ListOptions = {}): Listing {
  const { rule = NOTHING, linked = rule, git = NOTHING, project = root, within = root, limits = LIMITS } = options
  const files: ListedFile[] = []
  const leftOut: LeftOut[] = []
  const folders: Folder[] = [{ path: '', at: root, links: [] }]
  let followed = 0
  const whyNotLinked: Rule = (file, isFolder) => {
    const below = pathBelow(realpathSync(project), file)
    const why = whyLeftOut(below ?? pathFrom(realpathSync(within), file), isFolder, linked)
    return why ?? (below === null ? null : git(below, isFolder))
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const names = readFolder(folder.at)
    if (names === null) leftOut.push({ path: `${folder.path}/`, why: 'may not be read' })
    for (const name of names ?? []) {
      const { at, links } = folder
      const path = folder.path === '' ? name : `${folder.path}/${name}`
      const entry = lstatSync(join(at, name), { throwIfNoEntry: false })
      if (entry === undefined) continue
      const isLink = entry.isSymbolicLink()
      const found = isLink ? followLink(join(at, name), within) : { file: join(at, name), stats: entry }
      const isFolder = typeof found !== 'string' && found.stats.isDirectory()
      const why = rule(path, isFolder) ?? (links.length === 0 ? git(path, isFolder) : null)
      if (links.length > 0) followed += 1
      if (followed > limits.files) throw tooLarge(root, limits)
      if (typeof found === 'string') leftOut.push({ path, why: why ?? found })
      else if (why !== null) leftOut.push({ path: isFolder ? `${path}/` : path, why })
      else if ((isLink || links.length > 0) && whyNotLinked(found.file, isFolder) !== null) {
        if (isLink) leftOut.push({ path, why: 'is a symbolic link to something that stays out' })
      } else if (!isFolder) {
        const { size, mode } = found.stats
        if (found.stats.isFile()) files.push({ file: found.file, path, size, mode })
        else leftOut.push({ path, why: describeKind(found.stats) })
      } else if (!isLink) folders.push({ path, at: found.file, links })
      else if ([...links, realpathSync(at)].some((one) => isBelow(one, found.file)))
        leftOut.push({ path, why: 'is a symbolic link to a folder that it lies in' })
      else folders.push({ path, at: found.file, links: [...links, realpathSync(at)] })
    }
    if (files.length > limits.files) throw tooLarge(root, limits)
  }
  assertSize(root, files, limits)
  return { files: sortByPath(files), leftOut: sortByPath(leftOut) }
}

const NOTHING: Rule = () => null
const LIMITS: CopyLimits = { files: 20_000, bytes: 1_073_741_824 }

/** Refuses more than one copy may hold; `what` is named in the message. */
export function assertSize(
  what: string,
  files: readonly Pick<ListedFile, 'size'>[],
  limits: CopyLimits = LIMITS,
): void {
  if (files.length > limits.files || sumOf(files, ({ size }) => size) > limits.bytes) throw tooLarge(what, limits)
}

function tooLarge(what: string, { files, bytes }: CopyLimits): AgentEvalsError {
  const most = `${files.toLocaleString('en')} files or ${bytes / 1_048_576} MiB`
  return new AgentEvalsError(
    'workspace-failed',
    `${what} holds more than ${most}, and each run gets a copy. Move what no session needs elsewhere; of a project, let git ignore it, or set projectCopy: false.`,
  )
}

/** Says what an entry is that is not a regular file. */
export function describeKind(entry: Pick<Dirent, 'isSymbolicLink' | 'isFIFO' | 'isSocket' | 'isDirectory'>): string {
  if (entry.isSymbolicLink()) return 'is a symbolic link'
  if (entry.isDirectory()) return 'is a folder'
  if (entry.isFIFO()) return 'is a named pipe'
  if (entry.isSocket()) return 'is a socket'
  return 'is a device'
}

function readFolder(folder: string): readonly string[] | null {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    if (['EACCES', 'EPERM'].includes(codeOf(error))) return null
    throw error
  }
}

/** Why a path, or a folder above it, stays out; `null` where none does. */
export function whyLeftOut(path: string, isFolder: boolean, rule: Rule): string | null {
  const segments = path.split('/')
  for (const index of segments.keys()) {
    const isLast = index === segments.length - 1
    const why = rule(segments.slice(0, index + 1).join('/'), isFolder || !isLast)
    if (why !== null) return why
  }
  return null
}

/** In the order of their paths. */
export function sortByPath<Entry extends { readonly path: string }>(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => compareTexts(a.path, b.path))
}

/** Paths with all folders above them. */
export function withFolders(paths: Iterable<string>): ReadonlySet<string> {
  const all = new Set<string>()
  for (const path of paths) {
    all.add(path)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) all.add(path.slice(0, end))
  }
  return all
}

/** A part of a listing by itself, below `from`. */
export function belowFolder(files: readonly ListedFile[], from: string): readonly ListedFile[] {
  const start = from === '' ? '' : `${from}/`
  return files.flatMap((file) =>
    file.path.startsWith(start) ? [{ ...file, path: file.path.slice(start.length) }] : [],
  )
}

/** One sentence on what stays out of a copy, by the reasons for it; `null` where nothing does. */
export function describeLeftOut(what: string, leftOut: readonly LeftOut[]): string | null {
  if (leftOut.length === 0) return null
  const reasons = [...groupBy(leftOut, ({ why }) => why)].map(([why, entries]) => {
    const more = entries.length === 1 ? '' : ` and ${entries.length - 1} more`
    return `${entries[0]?.path}${more} (${why.replace(/^is (?:a )?/, '')})`
  })
  return `Copies of ${what} leave out ${plural(leftOut.length, 'file or folder', 'files and folders')}: ${reasons.join(', ')}.`
}
