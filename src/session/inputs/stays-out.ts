import { existsSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { ANSWER_FILES, QUERY_FOLDERS, isSecret } from '../../formats/paths.ts'
import type { SkillUnderTest } from '../../formats/suite.ts'
import { stringsIn } from '../../lib/json.ts'
import {
  PERSONAL_PATHS,
  PLUGIN_FOLDERS,
  PROJECT_FOLDER,
  ROOT_NAMES,
  SERVERS_FILE,
  isCreatorWorkspace,
  namedEvals,
  pathFrom,
} from '../../packages/package-root.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { askGitNow, gitPaths } from '../../sandbox/process/git.ts'
import { withFolders, type LeftOut, type Rule } from './list-files.ts'

/** Why something stays out by its name, as the end of a sentence about it. */
export const REASONS = {
  answers: 'contains the expected answers',
  build: 'is a build result that git does not track',
  dependencies: 'is a folder of dependencies',
  git: 'is part of a git repository',
  hidden: 'is hidden',
  ignored: 'is ignored by git',
  other: 'is no part of it',
  secrets: 'may contain secrets',
} as const

/** What every folder has and no copy of it gets: nobody needs to be told. */
const UNNAMED: ReadonlySet<string> = new Set([REASONS.answers, REASONS.git, REASONS.other, REASONS.secrets])

/** Leaves out answers, secrets and litter, which stay out of every package and project. */
export function worthNaming(leftOut: readonly LeftOut[]): readonly LeftOut[] {
  return leftOut.filter(({ why }) => !UNNAMED.has(why))
}

/** Whether a repository can do without all that stays out. */
export function isUsual(leftOut: readonly LeftOut[]): boolean {
  return leftOut.every(({ why }) => why === REASONS.dependencies || why === REASONS.hidden)
}

const LITTER: ReadonlySet<string> = new Set(['.DS_Store', '.pytest_cache', '.vitest', 'Thumbs.db', '__pycache__'])
const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set(['.venv', 'node_modules', 'venv'])
const BUILD_FOLDERS: ReadonlySet<string> = new Set(['.cache', 'build', 'coverage', 'dist', 'out', 'target'])
// What an agent writes about its runs: it gets nothing of it, and it changes with every run.
const OWN_LOGS: ReadonlySet<string> = new Set(['log', 'output'])
const TOOL_SETTINGS: ReadonlySet<string> = new Set([PROJECT_FOLDER, SERVERS_FILE])

/** What packages and projects have in common: the repository, secrets, litter, answers and dependencies never come along. */
interface CommonRule {
  /** Absolute path of the folder that is copied. */
  readonly root: string
  /** Whether a folder holds answers. */
  readonly isAnswers: (path: string) => boolean
  /** Whether a folder comes along whatever it is called. */
  readonly isNeeded: (path: string) => boolean
}

function commonRule({ root, isAnswers, isNeeded }: CommonRule): Rule {
  return (path, isFolder) => {
    const name = basename(path)
    if (name === '.git') return REASONS.git
    if (isSecret(name)) return REASONS.secrets
    if (LITTER.has(name) || name.endsWith('.pyc') || PERSONAL_PATHS.has(path)) return REASONS.other
    if (!isFolder) return null
    if (isAnswers(path) || isCreatorWorkspace(join(root, path))) return REASONS.answers
    return DEPENDENCY_FOLDERS.has(name) && !isNeeded(path) ? REASONS.dependencies : null
  }
}

/** Of a folder of build results only what git tracks comes along, unless the folder itself `isNeeded`. */
function isBuildResult(
  path: string,
  isFolder: boolean,
  isNeeded: (path: string) => boolean,
  isTracked: (path: string) => boolean,
): boolean {
  const segments = path.split('/')
  const isBuild = segments.some(
    (name, index) =>
      BUILD_FOLDERS.has(name) &&
      (isFolder || index < segments.length - 1) &&
      !isNeeded(segments.slice(0, index + 1).join('/')),
  )
  return isBuild && !isTracked(path)
}

/** What of a package stays out of its copy. */
export interface PackageRule {
  readonly rule: Rule
  /** For what links lead to: what is hidden and what is no part of the package comes along then. */
  readonly linked: Rule
}

/**
 * Decides what of a package a session may see. The answers (evals, tests) and secrets (`.env`) never; what a skill
 * ships always; dependency folders only when a hook or an MCP server is started from one of them, and folders of build
 * results also when they are committed. Scripts of the free tests read the fixtures beside the cases, too.
 */
export function packageRule(pkg: AgentPackage, isForTests: boolean = false): PackageRule {
  const started = startedPaths(pkg)
  const skills = new Set(pkg.skills.map(({ dir }) => pathFrom(pkg.root, dir)))
  const evals = namedEvals(pkg.manifest?.raw)
  // Settings and servers of the tool are part of a package in a layout of that tool, and of no other.
  const isNative = pkg.layout !== undefined
  const isTracked = trackedBelow(pkg.root)
  const isInSkill = (path: string): boolean => above(path).some((folder) => skills.has(folder))
  const isPart = (path: string): boolean =>
    (path.includes('/') && PART_FOLDERS.has(path.split('/')[0] ?? '')) || skills.has(path) || isInSkill(path)
  const linked = commonRule({
    root: pkg.root,
    isAnswers: (path) =>
      path === evals ||
      (pkg.vault === true && OWN_LOGS.has(path)) ||
      (isForTests ? isCaseFolder(path, skills) : isAnswerFolder(path, skills)),
    isNeeded: (path) => started.has(path),
  })
  const isHidden = (path: string, isFolder: boolean): boolean => {
    const name = basename(path)
    if (!isFolder) return name.startsWith('.git') || (name === path && name.startsWith('.') && name !== SERVERS_FILE)
    if (!name.startsWith('.') || name === '.cache' || PLUGIN_FOLDERS.includes(name)) return false
    return !isNative || name !== PROJECT_FOLDER
  }
  return {
    linked,
    rule(path, isFolder) {
      if (!isOfPackage(pkg, path, isFolder)) return REASONS.other
      const why = linked(path, isFolder)
      if (why !== null || (isFolder && started.has(path))) return why
      if (TOOL_SETTINGS.has(path) && !isNative) return REASONS.hidden
      if (isInSkill(path) || (isFolder && skills.has(path))) return null
      if (isHidden(path, isFolder)) return REASONS.hidden
      const isNeeded = (folder: string): boolean => started.has(folder) || isPart(folder)
      return isBuildResult(path, isFolder, isNeeded, isTracked) ? REASONS.build : null
    },
  }
}

function above(path: string): readonly string[] {
  const segments = path.split('/')
  return segments.map((_, index) => segments.slice(0, index).join('/'))
}

// A folder on the way to a part is walked through.
function isOfPackage({ only }: AgentPackage, path: string, isFolder: boolean): boolean {
  if (only === undefined) return true
  return only.some((part) => path === part || path.startsWith(`${part}/`) || (isFolder && part.startsWith(`${path}/`)))
}

const PART_FOLDERS = new Set(['agents', 'commands', 'hooks', 'mcp', 'rules', 'skills'])
const ANSWER_FOLDERS: ReadonlySet<string> = new Set(['evals', ...QUERY_FOLDERS])

function isAnswerFolder(path: string, skills: ReadonlySet<string>): boolean {
  if (skills.has(path)) return false
  if (basename(path) !== 'tests') return ANSWER_FOLDERS.has(basename(path))
  const parent = path === 'tests' ? '' : dirname(path)
  return parent === 'hooks' || parent === 'commands' || skills.has(parent) || /^(?:agents|skills)\/[^/]+$/.test(parent)
}

// The scripts of free tests read the fixtures beside the cases, and nothing of the evals.
function isCaseFolder(path: string, skills: ReadonlySet<string>): boolean {
  return path === 'evals' || (basename(path) === 'cases' && isAnswerFolder(dirname(path), skills))
}

function startedPaths(pkg: AgentPackage): ReadonlySet<string> {
  const hooks = pkg.hookGroups.flatMap((group) => group.hooks)
  const commands = hooks.flatMap((hook) => (hook.type === 'command' ? [hook.command] : []))
  const texts = [...commands, ...pkg.mcpServers.flatMap((server) => stringsIn(server.config))]
  return withFolders(texts.flatMap((text) => [...text.matchAll(STARTED)].map((match) => match[1] ?? '')))
}

const STARTED = new RegExp(String.raw`\$\{?(?:${ROOT_NAMES})\}?"?\/([^\s"';|&]+)`, 'g')

// Git is asked once, and only where there is a folder of build results.
function trackedBelow(root: string): (path: string) => boolean {
  let tracked: ReadonlySet<string> | undefined
  return (path) => {
    const patterns = [...BUILD_FOLDERS].map((name) => `:(glob)**/${name}/**`)
    tracked ??= withFolders(gitPaths(askGitNow(root, ['ls-files', '-z', '--cached', '--', ...patterns])))
    return tracked.has(path)
  }
}

/**
 * Decides what of a project the copy for an eval of a skill holds, by names alone: what git ignores stays out besides.
 *
 * @param hidden - absolute paths of further folders with answers.
 */
export function projectRule(
  { dir, evalsDir, projectRoot }: Pick<SkillUnderTest, 'dir' | 'evalsDir' | 'projectRoot'>,
  hidden: readonly string[],
  isTracked: (path: string) => boolean,
): Rule {
  const own = [join(projectRoot, 'evals'), evalsDir, join(dir, 'evals'), join(dir, 'tests'), ...hidden]
  // Where the evals lie in the skill's own folder, they are files among its others.
  const answers = new Set(own.filter((folder) => folder !== dir && folder !== projectRoot))
  const holdsSkill = (path: string): boolean => `${dir}${sep}`.startsWith(`${join(projectRoot, path)}${sep}`)
  // Cases of other skills lie beside their SKILL.md, too.
  const isOfSkill = (path: string): boolean =>
    basename(path) === 'tests' && existsSync(join(projectRoot, dirname(path), 'SKILL.md'))
  const common = commonRule({
    root: projectRoot,
    isAnswers: (path) =>
      answers.has(join(projectRoot, path)) ||
      (!holdsSkill(path) && (ANSWER_FOLDERS.has(basename(path)) || isOfSkill(path))),
    isNeeded: holdsSkill,
  })
  return (path, isFolder) => {
    if (!isFolder && ANSWER_FILES.test(path)) return REASONS.answers
    const why = common(path, isFolder)
    if (why !== null) return why
    return isBuildResult(path, isFolder, holdsSkill, isTracked) ? REASONS.build : null
  }
}
