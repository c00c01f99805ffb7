import { lstatSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { runProcess } from '../process.ts'
import { listTree, type TreeFile } from './list-tree.ts'
import type { SkillUnderTest } from '../suites/suite.ts'

/** How much of a project is copied for one run. */
export interface ProjectLimits {
  readonly files: number
  readonly bytes: number
}

/**
 * Lists what an artifact eval gets a copy of: the files of the project that git does not ignore, or all where there is no
 * git, without the answers, secrets, dependencies and caches.
 *
 * @param hidden - absolute paths of further folders with answers.
 * @throws {AgentEvalsError} `workspace-failed` when there are too many.
 */
export async function listProjectFiles(
  skill: Pick<SkillUnderTest, 'dir' | 'evalsDir' | 'projectRoot'>,
  hidden: readonly string[] = [],
  limits: ProjectLimits = DEFAULT_LIMITS,
): Promise<readonly TreeFile[]> {
  const { projectRoot } = skill
  const staysOut = answerFilter(skill, hidden)
  const known = await listKnownToGit(projectRoot)
  const files =
    known === null
      ? listTree(projectRoot, { exclude: staysOut, maxFiles: limits.files + 1 }).files
      : [...known].flatMap(([path, isTracked]) => {
          // What the project has committed is part of it, whatever its folder is called.
          const excludes: Excludes = (part, isFolder) =>
            !(isTracked && isFolder && COMMITTED.has(part.split('/').at(-1) ?? '')) && staysOut(part, isFolder)
          return isExcluded(path, excludes) ? [] : regularFile(projectRoot, path)
        })
  const bytes = files.reduce((sum, file) => sum + file.size, 0)
  if (files.length > limits.files)
    throw tooLarge(projectRoot, `more than ${limits.files.toLocaleString('en')} files`, files)
  if (bytes > limits.bytes) throw tooLarge(projectRoot, `more than ${limits.bytes / 1_048_576} MiB`, files)
  return files
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
  const listed = await runProcess('git', ['-c', 'core.quotepath=off', 'ls-files', ...options], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', GIT_OPTIONAL_LOCKS: '0' },
    deadlineMs: 60_000,
    onLine: (line) => void paths.push(line),
  })
  // A name in quotes holds what no path of a workspace may hold.
  return listed.exitCode === 0 ? paths.filter((path) => path !== '' && !path.startsWith('"')) : null
}

function regularFile(root: string, path: string): readonly TreeFile[] {
  const file = join(root, path)
  const found = lstatSync(file, { throwIfNoEntry: false })
  return found?.isFile() === true ? [{ file, path, size: found.size, mode: found.mode }] : []
}

type Excludes = (path: string, isFolder: boolean) => boolean

function answerFilter(
  { dir, evalsDir, projectRoot }: Pick<SkillUnderTest, 'dir' | 'evalsDir' | 'projectRoot'>,
  hidden: readonly string[],
): Excludes {
  const below = (folder: string): string => relative(projectRoot, folder).split(sep).join('/')
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
  return (path, isFolder) => {
    const name = path.split('/').at(-1) ?? ''
    if (name === '.git' || name.startsWith('.env') || SECRETS.has(name)) return true
    if (isFolder)
      return answers.has(path) || (LEFT_OUT.has(name) && !dir.startsWith(`${join(projectRoot, path)}${sep}`))
    return ANSWER_FILES.test(path) || name.endsWith('.pyc') || name === '.DS_Store'
  }
}

function isExcluded(path: string, staysOut: Excludes): boolean {
  const segments = path.split('/')
  return segments.some((_, index) => staysOut(segments.slice(0, index + 1).join('/'), index < segments.length - 1))
}

const SECRETS = new Set(['.netrc', '.npmrc', '.pypirc'])

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

const ANSWER_FILES = /(?:^|\/)(?:evals?|triggers|trigger[-_](?:cases|evals?|fixtures)|eval_queries)\.json$/

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
    `The project ${root} has ${what}, and each artifact eval gets a copy.${hint} Let git ignore what no eval needs, or set projectCopy: false.`,
  )
}
