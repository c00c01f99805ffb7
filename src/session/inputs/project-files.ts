import { lstatSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { SkillUnderTest, Suite } from '../../formats/suite.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { checkoutAround, listNames, tryStat } from '../../lib/files.ts'
import { askGit, whyGitFails } from '../../sandbox/process/git.ts'
import { listFiles, withFolders, type CopyLimits, type Listing, type Rule } from './list-files.ts'
import { REASONS, projectRule } from './stays-out.ts'

/**
 * Lists what an artifact eval gets a copy of: the files of the project that git does not ignore, those of submodules and
 * nested repositories among them, or all where there is no repository, without what {@link projectRule} leaves out.
 * `_bmad/` comes along, which projects let git ignore.
 *
 * @param hidden - absolute paths of further folders with answers.
 * @throws {AgentEvalsError} `workspace-failed` when there are too many, or when git fails.
 */
export async function listProjectFiles(
  skill: Pick<SkillUnderTest, 'dir' | 'evalsDir' | 'projectRoot'>,
  hidden: readonly string[] = [],
  limits?: CopyLimits,
): Promise<Listing> {
  const { projectRoot } = skill
  const checkout = checkoutAround(projectRoot)
  const known = checkout === null ? null : await listKnownToGit(projectRoot)
  const tracked = withFolders(known?.tracked ?? [])
  const rule = projectRule(skill, hidden, (path) => tracked.has(path))
  return listFiles(projectRoot, {
    rule,
    within: checkout ?? projectRoot,
    ...(known === null ? {} : { git: gitRule(projectRoot, known) }),
    ...(limits === undefined ? {} : { limits }),
  })
}

/** What git lists, by paths below the folder that was asked for. */
interface KnownToGit {
  /** Files that git tracks. */
  readonly tracked: readonly string[]
  /** Files that it neither tracks nor ignores: what an author has just written is part of the project under test, too. */
  readonly others: readonly string[]
  /** Why an entry of git's that is a folder has no files. */
  readonly empty: ReadonlyMap<string, string>
}

function gitRule(root: string, { tracked, others, empty }: KnownToGit): Rule {
  const listed = withFolders([...tracked, ...others])
  return (path, isFolder) => {
    if (empty.has(path)) return empty.get(path) ?? null
    if (listed.has(path) || path === BMAD || path.startsWith(`${BMAD}/`)) return null
    // Git lists no empty folder, either.
    if (isFolder && listNames(join(root, path)).length === 0) return REASONS.other
    return basename(path).startsWith('.') ? REASONS.hidden : REASONS.ignored
  }
}

const BMAD = '_bmad'

async function listKnownToGit(root: string): Promise<KnownToGit> {
  const tracked = await askForFiles(root, ['--cached', '--deduplicate'])
  const others = await askForFiles(root, ['--others', '--exclude-standard'])
  const known = { tracked: [...tracked], others: [...others], empty: new Map<string, string>() }
  for (const path of [...tracked, ...others]) {
    // A repository in this one, which is a submodule where it is tracked. Another worktree of this one is neither.
    const inner = join(root, path)
    if (lstatSync(inner, { throwIfNoEntry: false })?.isDirectory() !== true) continue
    const git = tryStat(join(inner, '.git'))
    const isTracked = tracked.includes(path)
    if (git !== undefined && (isTracked || git.isDirectory())) {
      const below = await listKnownToGit(inner)
      known.tracked.push(...below.tracked.map((one) => `${path}/${one}`))
      known.others.push(...below.others.map((one) => `${path}/${one}`))
      for (const [one, why] of below.empty) known.empty.set(`${path}/${one}`, why)
    } else known.empty.set(path, isTracked ? 'is a submodule that is not fetched' : 'is another worktree')
  }
  return known
}

async function askForFiles(root: string, options: readonly string[]): Promise<readonly string[]> {
  const paths: string[] = []
  const listed = await askGit(root, ['ls-files', ...options], {
    deadlineMs: 60_000,
    onLine: (line) => void paths.push(line.replace(/\/$/, '')),
  })
  if (listed === null) throw gitFailed(root, await whyGitFails(root))
  // A name in quotes holds what no path of a workspace may hold.
  return paths.filter((path) => path !== '' && !path.startsWith('"'))
}

function gitFailed(root: string, why: string): AgentEvalsError {
  return new AgentEvalsError(
    'workspace-failed',
    `Git cannot list the files of ${root}, so nothing of it is copied: what Git ignores may be private. ${why} ` +
      'Let Git work there, or set projectCopy: false.',
  )
}

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
