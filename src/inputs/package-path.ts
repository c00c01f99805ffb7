import { relative, sep } from 'node:path'
import type { JsonValue } from '../json.ts'
import type { AgentPackage } from '../packages/package.ts'

/** Whether something at a path below the package, `/`-separated, reaches the package's copy in a session. */
export type PackagePathFilter = (path: string, isFolder: boolean) => boolean

/** For whom the copy is. */
export interface PackagePathOptions {
  /** Whether the copy is for the free tests, whose scripts read the fixtures beside the cases. @default false */
  readonly forTests?: boolean
}

/**
 * Decides what of a package a session may see. The answers (evals, tests) and secrets (`.env`) never;
 * dependency and build folders only when a hook or an MCP server is started from one of them.
 */
export function packagePathFilter(pkg: AgentPackage, options: PackagePathOptions = {}): PackagePathFilter {
  const started = startedPaths(pkg)
  const skills = new Set(pkg.skills.map((skill) => relative(pkg.root, skill.dir).split(sep).join('/')))
  const staysWithCases = options.forTests === true ? isCaseFolder : isAnswerFolder
  // Settings and servers of the tool belong to a package in a layout of that tool, and to no other.
  const isNative = pkg.layout !== undefined
  const staysOut = (segments: readonly string[], isFolder: boolean): boolean => {
    const name = segments.at(-1) ?? ''
    if (pkg.vault === true && segments.length === 1 && OWN_LOGS.has(name)) return true
    if (isSecretOrGit(name) || LITTER.has(name) || name.endsWith('.pyc')) return true
    if (PERSONAL.has(segments.join('/'))) return true
    if (!isFolder) return name.startsWith('.') && segments.length === 1 && !(isNative && name === '.mcp.json')
    if (staysWithCases(segments, skills)) return true
    if (started.has(segments.join('/'))) return false
    if (name.startsWith('.')) return !PUBLIC_DOT_FOLDERS.has(name) && !(isNative && name === '.claude')
    return DEPENDENCY_FOLDERS.has(name) || (BUILD_FOLDERS.has(name) && !isPart(segments, skills))
  }
  return (path, isFolder) => {
    if (!isPartOf(pkg, path, isFolder)) return false
    const segments = path.split('/')
    return !segments.some((_, index) => staysOut(segments.slice(0, index + 1), isFolder || index < segments.length - 1))
  }
}

// A folder on the way to a part is walked through.
function isPartOf({ only }: AgentPackage, path: string, isFolder: boolean): boolean {
  if (only === undefined) return true
  return only.some((part) => path === part || path.startsWith(`${part}/`) || (isFolder && part.startsWith(`${path}/`)))
}

const PART_FOLDERS = new Set(['agents', 'commands', 'hooks', 'mcp', 'rules', 'skills'])
// What an agent writes about its runs: it is told nothing of it, and it changes with every run.
const OWN_LOGS = new Set(['log', 'output'])
const ANSWER_FOLDERS = new Set(['evals', 'tests'])
const DEPENDENCY_FOLDERS = new Set(['__pycache__', 'node_modules', 'venv'])
const BUILD_FOLDERS = new Set(['build', 'coverage', 'dist', 'out', 'target'])
const PUBLIC_DOT_FOLDERS = new Set(['.claude-plugin', '.codex-plugin'])
// Claude Code's own, by project: personal settings, and checkouts of other branches.
const PERSONAL = new Set(['.claude/settings.local.json', '.claude/worktrees'])
const LITTER = new Set(['.DS_Store', '.netrc', '.npmrc', '.pypirc', 'Thumbs.db'])

function isSecretOrGit(name: string): boolean {
  return name.startsWith('.env') || name.startsWith('.git')
}

function isAnswerFolder(segments: readonly string[], skills: ReadonlySet<string>): boolean {
  const name = segments.at(-1) ?? ''
  const parent = segments.slice(0, -1).join('/')
  if (!ANSWER_FOLDERS.has(name)) return false
  if (parent === '') return name === 'evals' || skills.has('')
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
  const texts = [...commands, ...pkg.mcpServers.flatMap((server) => strings(server.config))]
  const paths = texts.flatMap((text) =>
    [...text.matchAll(/\$\{?(?:PACKAGE_ROOT|CLAUDE_PLUGIN_ROOT|CLAUDE_PROJECT_DIR)\}?"?\/([^\s"';|&]+)/g)].map(
      (match) => match[1] ?? '',
    ),
  )
  return new Set(
    paths.flatMap((path) => {
      const segments = path.split('/')
      return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
    }),
  )
}

function strings(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(strings)
}
