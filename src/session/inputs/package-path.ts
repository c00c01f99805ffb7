import { join, sep } from 'node:path'
import { checkoutAround } from '../../lib/files.ts'
import { stringsIn } from '../../lib/json.ts'
import {
  PERSONAL_PATHS,
  PLUGIN_FOLDERS,
  PROJECT_FOLDER,
  ROOT_NAMES,
  SERVERS_FILE,
  pathFrom,
} from '../../packages/package-root.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { QUERY_FOLDERS } from '../../formats/paths.ts'
import { foldersOf } from './list-tree.ts'
import { askGit, askGitNow, gitPaths } from '../../sandbox/process/git.ts'

/** Whether something at a path below the package, `/`-separated, reaches the package's copy in a session. */
type PackagePathFilter = (path: string, isFolder: boolean) => boolean

/** For whom the copy is. */
interface PackagePathOptions {
  /** Whether the copy is for the free tests, whose scripts read the fixtures beside the cases. @default false */
  readonly forTests?: boolean
}

/**
 * Decides what of a package a session may see. The answers (evals, tests) and secrets (`.env`) never; what a skill
 * ships always; dependency folders only when a hook or an MCP server is started from one of them, and folders of build
 * results also when they are committed.
 */
export function packagePathFilter(pkg: AgentPackage, options: PackagePathOptions = {}): PackagePathFilter {
  const started = startedPaths(pkg)
  const skills = new Set(pkg.skills.map((skill) => pathFrom(pkg.root, skill.dir)))
  const staysWithCases = options.forTests === true ? isCaseFolder : isAnswerFolder
  // Settings and servers of the tool are part of a package in a layout of that tool, and of no other.
  const isNative = pkg.layout !== undefined
  const isCommitted = committedFilter(pkg)
  const staysOut = (segments: readonly string[], isFolder: boolean): boolean => {
    const name = segments.at(-1) ?? ''
    if (pkg.vault === true && segments.length === 1 && OWN_LOGS.has(name)) return true
    if (name === '.git' || name.startsWith('.env') || LITTER.has(name) || name.endsWith('.pyc')) return true
    if (PERSONAL_PATHS.has(segments.join('/'))) return true
    if (isFolder && staysWithCases(segments, skills)) return true
    if (isFolder && started.has(segments.join('/'))) return false
    if (isFolder && DEPENDENCY_FOLDERS.has(name)) return true
    if (isToolSetting(segments, isNative)) return true
    if (isInSkill(segments, skills)) return false
    if (!isFolder)
      return name.startsWith('.git') || (name.startsWith('.') && segments.length === 1 && name !== SERVERS_FILE)
    if (name.startsWith('.') && name !== '.cache')
      return !PLUGIN_FOLDERS.includes(name) && !(isNative && name === PROJECT_FOLDER)
    return BUILD_FOLDERS.has(name) && !isPart(segments, skills) && !isCommitted(segments.join('/'))
  }
  return (path, isFolder) => {
    if (!isPartOf(pkg, path, isFolder)) return false
    const segments = path.split('/')
    if (segments.some((_, index) => staysOut(segments.slice(0, index + 1), isFolder || index < segments.length - 1)))
      return false
    const build = segments.findIndex((name, index) => {
      if (!BUILD_FOLDERS.has(name) || index === segments.length - 1) return false
      const folder = segments.slice(0, index + 1)
      return !started.has(folder.join('/')) && !isPart(folder, skills) && !isInSkill(folder, skills)
    })
    // Of a folder of build results only what is committed comes along.
    return build === -1 || isCommitted(path)
  }
}

// Git is asked once for a package that was read, and only where there is such a folder.
function committedFilter(pkg: AgentPackage): (path: string) => boolean {
  return (path) => {
    const tracked = committed.get(pkg) ?? withFolders(trackedBelow(pkg.root, [...BUILD_FOLDERS]))
    committed.set(pkg, tracked)
    return tracked.has(path)
  }
}

const committed = new WeakMap<AgentPackage, ReadonlySet<string>>()

function withFolders(paths: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...paths, ...foldersOf(Array.from(paths, (path) => ({ path })))])
}

// What an author put beside SKILL.md is the skill, whatever it is called.
function isInSkill(segments: readonly string[], skills: ReadonlySet<string>): boolean {
  return segments.some((_, index) => skills.has(segments.slice(0, index).join('/')))
}

function isToolSetting(segments: readonly string[], isNative: boolean): boolean {
  return segments.length === 1 && TOOL_SETTINGS.has(segments[0] ?? '') && !isNative
}

// A folder on the way to a part is walked through.
function isPartOf({ only }: AgentPackage, path: string, isFolder: boolean): boolean {
  if (only === undefined) return true
  return only.some((part) => path === part || path.startsWith(`${part}/`) || (isFolder && part.startsWith(`${path}/`)))
}

const PART_FOLDERS = new Set(['agents', 'commands', 'hooks', 'mcp', 'rules', 'skills'])
// What an agent writes about its runs: it gets nothing of it, and it changes with every run.
const OWN_LOGS = new Set(['log', 'output'])
const ANSWER_FOLDERS = new Set(['evals', 'tests', ...QUERY_FOLDERS])
const DEPENDENCY_FOLDERS = new Set(['.pytest_cache', '.venv', '.vitest', '__pycache__', 'node_modules', 'venv'])
const BUILD_FOLDERS = new Set(['.cache', 'build', 'coverage', 'dist', 'out', 'target'])
const TOOL_SETTINGS: ReadonlySet<string> = new Set([PROJECT_FOLDER, SERVERS_FILE])
const LITTER = new Set(['.DS_Store', '.netrc', '.npmrc', '.pypirc', 'Thumbs.db'])

function isAnswerFolder(segments: readonly string[], skills: ReadonlySet<string>): boolean {
  const name = segments.at(-1) ?? ''
  const parent = segments.slice(0, -1).join('/')
  if (!ANSWER_FOLDERS.has(name) || skills.has(segments.join('/'))) return false
  if (name !== 'tests') return true
  if (parent === '') return skills.has('')
  if (parent === 'hooks' || parent === 'commands' || skills.has(parent)) return true
  return segments.length === 3 && (segments[0] === 'skills' || segments[0] === 'agents')
}

// The scripts of free tests read the fixtures beside the cases, and nothing of the evals.
function isCaseFolder(segments: readonly string[], skills: ReadonlySet<string>): boolean {
  if (segments.join('/') === 'evals') return true
  return segments.at(-1) === 'cases' && isAnswerFolder(segments.slice(0, -1), skills)
}

// A skill may be called `build`, and what it ships in `dist` is part of it.
function isPart(segments: readonly string[], skills: ReadonlySet<string>): boolean {
  if (segments.length > 1 && PART_FOLDERS.has(segments[0] ?? '')) return true
  return segments.some((_, index) => skills.has(segments.slice(0, index + 1).join('/')))
}

function startedPaths(pkg: AgentPackage): ReadonlySet<string> {
  const hooks = pkg.hookGroups.flatMap((group) => group.hooks)
  const commands = hooks.flatMap((hook) => (hook.type === 'command' ? [hook.command] : []))
  const texts = [...commands, ...pkg.mcpServers.flatMap((server) => stringsIn(server.config))]
  const paths = texts.flatMap((text) => [...text.matchAll(STARTED)].map((match) => match[1] ?? ''))
  return new Set(
    paths.flatMap((path) => {
      const segments = path.split('/')
      return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
    }),
  )
}

const STARTED = new RegExp(String.raw`\$\{?(?:${ROOT_NAMES})\}?"?\/([^\s"';|&]+)`, 'g')

/** Of paths below a folder, whether they exist or not, those that git would ignore. */
export async function ignoredBelow(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const absolute = paths.map((path) => join(folder, path))
  const ignored = new Set(await askIgnored(folder, absolute))
  return paths.filter((_, index) => ignored.has(absolute[index] ?? ''))
}

/** Where git is told to ignore a path. */
interface IgnoringLine {
  /** As git names it: relative to the folder that was asked for, or absolute. */
  readonly file: string
  readonly line: number
  readonly pattern: string
  readonly path: string
}

/** The lines by which git ignores paths below a folder that it does not track. */
export async function ignoringLines(folder: string, paths: readonly string[]): Promise<readonly IgnoringLine[]> {
  const stdin = paths.map((path) => `${path}\0`).join('')
  const fields = gitPaths(await askGit(folder, ['check-ignore', '-v', '-z', '--stdin'], { stdin }))
  return Array.from({ length: Math.floor(fields.length / 4) }, (_, index) => {
    const [file = '', line, pattern = '', path = ''] = fields.slice(index * 4, index * 4 + 4)
    return { file, line: Number(line), pattern, path }
  })
}

/** Files in a folder that git ignores, relative to it. */
export async function ignoredFilesIn(folder: string): Promise<readonly string[]> {
  const start = `${folder}${sep}`
  const found = await askIgnoredFiles(folder, [folder])
  return found.flatMap((path) => (path.startsWith(start) ? [path.slice(start.length)] : []))
}

/**
 * Paths below a folder, `/`-separated, that git tracks and that have a folder of one of these names above them. Empty
 * where there is no git.
 */
export function trackedBelow(root: string, names: readonly string[]): ReadonlySet<string> {
  const patterns = names.map((name) => `:(glob)**/${name}/**`)
  return new Set(gitPaths(askGitNow(root, ['ls-files', '-z', '--cached', '--', ...patterns])))
}

const askIgnored = batched(async (checkout, paths) =>
  gitPaths(
    await askGit(checkout, ['check-ignore', '-z', '--no-index', '--stdin'], {
      stdin: paths.map((path) => `${path}\0`).join(''),
    }),
  ),
)

const askIgnoredFiles = batched(async (checkout, folders) => {
  const words = ['--literal-pathspecs', 'ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--']
  const found = gitPaths(await askGit(checkout, [...words, ...folders]))
  return found.map((path) => join(checkout, path))
})

type Ask = (checkout: string, paths: readonly string[]) => Promise<readonly string[]>

interface Batch {
  readonly paths: string[]
  readonly answer: Promise<readonly string[]>
}

// A process for each suite takes longer than everything else that is done with it: questions of one turn share one.
function batched(ask: Ask): (folder: string, paths: readonly string[]) => Promise<readonly string[]> {
  const batches = new Map<string, Batch>()
  const open = (checkout: string): Batch => {
    const paths: string[] = []
    const answer = (async () => {
      await new Promise((resolve) => void setTimeout(resolve, WAIT_MS))
      batches.delete(checkout)
      // A list of arguments, and what is kept of an output, has an end.
      const portions = Array.from({ length: Math.ceil(paths.length / PORTION) }, (_, index) =>
        paths.slice(index * PORTION, (index + 1) * PORTION),
      )
      return (await Promise.all(portions.map((portion) => ask(checkout, portion)))).flat()
    })()
    return { paths, answer }
  }
  return (folder, paths) => {
    const checkout = checkoutAround(folder)
    if (checkout === null) return Promise.resolve([])
    const batch = batches.get(checkout) ?? open(checkout)
    batches.set(checkout, batch)
    batch.paths.push(...paths)
    return batch.answer
  }
}

const WAIT_MS = 20
const PORTION = 1000
