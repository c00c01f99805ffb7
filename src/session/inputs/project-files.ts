import { existsSync, lstatSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { ANSWER_FILES, QUERY_FOLDERS, isSecret, whyHidden } from '../../formats/paths.ts'
import type { SkillUnderTest, Suite } from '../../formats/suite.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { listEntries } from '../../lib/files.ts'
import { sumOf } from '../../lib/lists.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { askGit } from '../../sandbox/process/git.ts'
import {
  foldersOf,
  isWorthNaming,
  kindOf,
  listTree,
  readLink,
  targetOf,
  withTargets,
  type FolderLink,
  type Tree,
  type TreeFile,
} from './list-tree.ts'
import { ignoredFilesIn } from './package-path.ts'

/** How much of a project is copied for one run. */
interface ProjectLimits {
  readonly files: number
  readonly bytes: number
}

/** What an artifact eval gets a copy of. */
export interface ProjectFiles {
  readonly files: readonly TreeFile[]
  /** Links to folders that are copied, too. */
  readonly links: readonly FolderLink[]
  /** What stays out and is neither an answer nor a secret; a folder ends with a slash. */
  readonly leftOut: readonly string[]
}

/**
 * Lists what an artifact eval gets a copy of: the files of the project that git does not ignore, or all where there is no
 * git, without the answers, secrets, dependencies and caches. `_bmad/` comes along, which projects let git ignore.
 *
 * @param hidden - absolute paths of further folders with answers.
 * @throws {AgentEvalsError} `workspace-failed` when there are too many.
 */
export async function listProjectFiles(
  skill: Pick<SkillUnderTest, 'dir' | 'evalsDir' | 'projectRoot'>,
  hidden: readonly string[] = [],
  limits: ProjectLimits = DEFAULT_LIMITS,
): Promise<ProjectFiles> {
  const { projectRoot } = skill
  const { staysOut, isAnswer } = answerFilter(skill, hidden)
  const gitPaths = await listKnownToGit(projectRoot)
  const listed =
    gitPaths === null ? listAll(projectRoot, staysOut, limits.files + 1) : listKnown(projectRoot, gitPaths, staysOut)
  const bytes = sumOf(listed.files, (file) => file.size)
  if (listed.files.length > limits.files)
    throw tooLarge(projectRoot, `more than ${limits.files.toLocaleString('en')} files`, listed.files)
  if (bytes > limits.bytes) throw tooLarge(projectRoot, `more than ${limits.bytes / 1_048_576} MiB`, listed.files)
  const ignored = gitPaths === null ? [] : await listIgnored(projectRoot)
  const copied = foldersOf(listed.files)
  const others = ignored.filter((path) => !copied.has(path.replace(/\/$/, '')) && isWorthNaming(...namedAs(path)))
  // Git knows links whose targets it ignores.
  const files = withTargets(listed.files)
  const folders = foldersOf(files)
  return {
    files,
    links: listed.links.filter((link) => folders.has(targetOf(link))),
    leftOut: [...new Set([...listed.leftOut, ...others])].filter((path) => !isAnswer(path)).toSorted(),
  }
}

function listAll(root: string, staysOut: Excludes, maxFiles: number): ProjectFiles {
  const leftOut: string[] = []
  const exclude: Excludes = (path, isFolder) => {
    const stays = staysOut(path, isFolder)
    if (stays && isWorthNaming(path, isFolder)) leftOut.push(isFolder ? `${path}/` : path)
    return stays
  }
  const { files, links, skipped } = listTree(root, { exclude, maxFiles })
  return { files, links, leftOut: [...leftOut, ...skipped.map(({ path, reason }) => `${path} (${reason})`)] }
}

function listKnown(root: string, gitPaths: ReadonlyMap<string, boolean>, staysOut: Excludes): ProjectFiles {
  const files: TreeFile[] = []
  const links: FolderLink[] = []
  const leftOut: string[] = []
  for (const [path, isTracked] of gitPaths) {
    // What the project has committed is part of it, whatever its folder is called.
    const excludes: Excludes = (part, isFolder) =>
      !(isTracked && isFolder && COMMITTED.has(part.split('/').at(-1) ?? '')) && staysOut(part, isFolder)
    const top = topExcluded(path, excludes)
    if (top !== null) {
      if (isWorthNaming(...namedAs(top))) leftOut.push(top)
      continue
    }
    const found = lookAt(root, path, excludes)
    if (typeof found === 'string') leftOut.push(`${path} (${found})`)
    else if (found !== null && 'file' in found) files.push(found)
    else if (found !== null) links.push(found)
  }
  const { files: bmad } = listTree(join(root, BMAD), {
    exclude: (path, isFolder) => staysOut(`${BMAD}/${path}`, isFolder),
  })
  const paths = new Set(files.map(({ path }) => path))
  const missing = bmad.map((file) => ({ ...file, path: `${BMAD}/${file.path}` })).filter(({ path }) => !paths.has(path))
  return { files: [...files, ...missing], links, leftOut }
}

const BMAD = '_bmad'

/** The skill whose project a session gets a copy of, as it was in the earlier version where that is its arm, and what stays out. */
interface CopiedProject {
  readonly skill: SkillUnderTest
  /** Absolute paths of folders with answers, besides the skill's own evals. */
  readonly hidden: readonly string[]
}

/** Says which project a case of a skill is copied from. */
export function copiedProject(
  suite: Partial<Pick<Suite, 'before' | 'packageRoot'>> & { readonly skill: SkillUnderTest },
  scenarios: string | null,
): CopiedProject {
  const { packageRoot, skill = suite.skill } = suite.before ?? suite
  const evals = packageRoot === undefined ? [] : [join(packageRoot, 'evals')]
  return { skill, hidden: [...evals, ...(scenarios === null ? [] : [scenarios])] }
}

function namedAs(path: string): readonly [string, boolean] {
  return path.endsWith('/') ? [path.slice(0, -1), true] : [path, false]
}

const DEFAULT_LIMITS: ProjectLimits = { files: 20_000, bytes: 1_073_741_824 }

// Each path, and whether git tracks it. What an author has just written is part of the project under test, too.
async function listKnownToGit(root: string): Promise<ReadonlyMap<string, boolean> | null> {
  const tracked = await listByGit(root, ['--cached', '--deduplicate'])
  const others = await listByGit(root, ['--others', '--exclude-standard'])
  if (tracked === null || others === null) return null
  return new Map([...others.map((path) => [path, false] as const), ...tracked.map((path) => [path, true] as const)])
}

async function listByGit(root: string, options: readonly string[]): Promise<readonly string[] | null> {
  const paths: string[] = []
  const listed = await askGit(root, ['ls-files', ...options], {
    deadlineMs: 60_000,
    onLine: (line) => void paths.push(line),
  })
  // A name in quotes holds what no path of a workspace may hold.
  return listed !== null ? paths.filter((path) => path !== '' && !path.startsWith('"')) : null
}

// Folders that are ignored as a whole are one entry.
async function listIgnored(root: string): Promise<readonly string[]> {
  return (await listByGit(root, ['--others', '--ignored', '--exclude-standard', '--directory'])) ?? []
}

// Nothing is at a path that was removed and not yet committed.
function lookAt(root: string, path: string, excludes: Excludes): FolderLink | TreeFile | string | null {
  const file = join(root, path)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined || found.isDirectory()) return null
  if (found.isFile()) return { file, path, size: found.size, mode: found.mode }
  return found.isSymbolicLink() ? readLink(root, path, excludes) : kindOf(found)
}

type Excludes = (path: string, isFolder: boolean) => boolean

function answerFilter(
  { dir, evalsDir, projectRoot }: Pick<SkillUnderTest, 'dir' | 'evalsDir' | 'projectRoot'>,
  hidden: readonly string[],
): { readonly staysOut: Excludes; readonly isAnswer: (path: string) => boolean } {
  const below = (folder: string): string => pathFrom(projectRoot, folder)
  const answers = new Set([
    'evals',
    below(evalsDir),
    below(join(dir, 'evals')),
    below(join(dir, 'tests')),
    ...hidden.map(below),
  ])
  // Where the evals lie in the skill's own folder, they are files among its others.
  answers.delete(below(dir))
  answers.delete('')
  // Cases of other skills lie beside their SKILL.md, too.
  const isOfSkill = (tests: string): boolean => existsSync(join(projectRoot, dirname(tests), 'SKILL.md'))
  const staysOut: Excludes = (path, isFolder) => {
    const name = path.split('/').at(-1) ?? ''
    if (name === '.git' || isSecret(name)) return true
    if (isFolder) {
      if (answers.has(path)) return true
      const holdsSkill = `${dir}${sep}`.startsWith(`${join(projectRoot, path)}${sep}`)
      if (holdsSkill) return false
      return (
        name === 'evals' || QUERY_FOLDERS.includes(name) || LEFT_OUT.has(name) || (name === 'tests' && isOfSkill(path))
      )
    }
    return ANSWER_FILES.test(path) || name.endsWith('.pyc') || name === '.DS_Store'
  }
  const isAnswer = (path: string): boolean => {
    const plain = path.replace(/\/$/, '')
    return answers.has(plain) || ANSWER_FILES.test(path) || QUERY_FOLDERS.includes(basename(plain))
  }
  return { staysOut, isAnswer }
}

/** The first part of a path that stays out, a folder with a slash; `null` when nothing of it does. */
function topExcluded(path: string, staysOut: Excludes): string | null {
  const segments = path.split('/')
  const at = segments.findIndex((_, index) =>
    staysOut(segments.slice(0, index + 1).join('/'), index < segments.length - 1),
  )
  if (at === -1) return null
  return `${segments.slice(0, at + 1).join('/')}${at === segments.length - 1 ? '' : '/'}`
}

const LEFT_OUT = new Set([
  '.cache',
  '.next',
  '.pytest_cache',
  '.venv',
  '.vitest',
  '__pycache__',
  'build',
  'coverage',
  'dist',
  'node_modules',
  'venv',
])

/** Folders of build results and caches that some projects commit on purpose. */
const COMMITTED = new Set(['.cache', 'build', 'coverage', 'dist', 'out', 'target'])

function tooLarge(root: string, what: string, files: readonly TreeFile[]): AgentEvalsError {
  const counts = new Map<string, number>()
  for (const { path } of files) {
    const [top = ''] = path.split('/')
    counts.set(top, (counts.get(top) ?? 0) + 1)
  }
  const [largest] = [...counts].toSorted((a, b) => b[1] - a[1])
  const hint = largest === undefined ? '' : ` ${largest[0]} has ${largest[1].toLocaleString('en')} of the files listed.`
  return new AgentEvalsError(
    'workspace-failed',
    `The project ${root} has ${what}, and each artifact eval gets a copy.${hint} Add files that no eval needs to .gitignore, or set projectCopy: false.`,
  )
}

/**
 * Lists what of an overlay is laid over a workspace. A suite may name any folder of the project as one: answers and secrets
 * in it stay out, and are among `skipped`.
 *
 * @throws {AgentEvalsError} `workspace-failed` when there is too much of it.
 */
export function listOverlay(
  overlay: string,
  projectRoot: string,
  limits: ProjectLimits = OVERLAY_LIMITS,
): Pick<Tree, 'files' | 'links' | 'skipped'> {
  const place = pathFrom(projectRoot, overlay)
  const hidden = new Map<string, string>()
  const exclude = (path: string): boolean => {
    const why = whyHidden(`${place}/${path}`)
    if (why !== null && basename(path) !== '.git') hidden.set(path, why)
    return why !== null
  }
  const { files, links, skipped, truncated } = listTree(overlay, { exclude, maxFiles: limits.files + 1 })
  if (truncated || files.length > limits.files)
    throw overlayTooLarge(place, `more than ${limits.files.toLocaleString('en')} files`)
  if (sumOf(files, ({ size }) => size) > limits.bytes)
    throw overlayTooLarge(place, `more than ${limits.bytes / 1_048_576} MiB`)
  return { files, links, skipped: [...skipped, ...[...hidden].map(([path, reason]) => ({ path, reason }))] }
}

const OVERLAY_LIMITS: ProjectLimits = { files: 10_000, bytes: 536_870_912 }

function overlayTooLarge(place: string, what: string): AgentEvalsError {
  return new AgentEvalsError(
    'workspace-failed',
    `The overlay ${JSON.stringify(place)} has ${what}, and each run gets a copy. Use a smaller fixture.`,
  )
}

/**
 * What is odd about an overlay, as the end of a sentence about it; `null` when nothing is. Of what git ignores a fresh
 * clone has nothing. Looked at once per process.
 */
export function remarkOnOverlay(overlay: string): Promise<string | null> {
  const remark = remarks.get(overlay) ?? look(overlay)
  remarks.set(overlay, remark)
  return remark
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
