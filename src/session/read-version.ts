import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { BeforeVersion, EarlierSkill } from '../formats/before.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { checkoutAround, isFile, isFolder, linkOnTheWay, listEntries } from '../lib/files.ts'
import { declaredName } from '../packages/package-root.ts'
import { findForeignFile } from '../sandbox/prepare-session.ts'
import { askGit } from '../sandbox/process/git.ts'

/** A version that was laid out as files. */
export interface ReadVersion extends BeforeVersion {
  /** What could not be read of it, one sentence each. */
  readonly notices: readonly string[]
}

/** What is asked for. */
interface VersionRequest {
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** A ref of Git, or the path of a folder, relative to `cwd`. */
  readonly ref: string
  readonly cwd: string
  /** Absolute path of a folder that does not exist yet: the files are laid out in it. */
  readonly to: string
}

/**
 * Lays out the files of another version in a folder of its own: of a commit as Git has them, or of a folder. Nothing of the
 * checkout is touched, and no program that a repository names is run, so files that a filter makes stay as they are stored.
 *
 * @throws {AgentEvalsError} `invalid-options` for a name that is neither.
 */
export async function readVersion(request: VersionRequest): Promise<ReadVersion> {
  const folder = resolve(request.cwd, request.ref)
  const read = (await readCommit(request)) ?? (isFolder(folder) ? readFolder(request, folder) : null)
  if (read === null)
    throw fail(
      request.ref,
      checkoutAround(request.root) === null
        ? `it is no folder, and ${request.root} is in no checkout of Git. Name a folder or a report.`
        : 'it is no folder, and Git knows no such commit. Name a branch, tag or commit of this checkout, a folder, or a report; in CI fetch it first (fetch-depth: 0).',
    )
  return { ...read, skills: skillsLost(read) }
}

function fail(ref: string, why: string): AgentEvalsError {
  return new AgentEvalsError('invalid-options', `--against ${ref}: ${why}`)
}

type Files = Omit<ReadVersion, 'skills'>

async function readCommit({ root, ref, to }: VersionRequest): Promise<Files | null> {
  const checkout = checkoutAround(root)
  if (checkout === null) return null
  const revision = await askGit(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])
  const commit = revision?.trim() ?? ''
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return null
  const below = relative(checkout, root).split(sep).join('/')
  const notices = await layOut({ checkout, commit, below, to, ref })
  return { ref, commit, root: to, now: checkout, isOwn: true, notices }
}

interface Tree {
  readonly checkout: string
  readonly commit: string
  /** The part of it that is wanted, `/`-separated; empty for all. */
  readonly below: string
  readonly to: string
  readonly ref: string
}

/**
 * Lets Git write the files in a checkout that borrows all objects, and those of each submodule in its place, at the commit
 * that it is pinned to. What copies a project or a package asks Git which files the checkout knows.
 */
async function layOut({ checkout, commit, below, to, ref }: Tree): Promise<readonly string[]> {
  const objects = (await askGit(checkout, ['rev-parse', '--git-path', 'objects']))?.trim()
  const folder = emptyCheckout(to, commit.length === 64)
  writeFileSync(join(folder, 'objects', 'info', 'alternates'), `${resolve(checkout, objects ?? '.git/objects')}\n`)
  await ask(to, ref, ['read-tree', commit])
  const paths = below === '' ? [] : [below]
  const files = (await ask(to, ref, ['--literal-pathspecs', 'ls-files', '-z', '--stage', '--', ...paths]))
    .split('\0')
    .filter(Boolean)
  if (files.length > 0) await ask(to, ref, ['--literal-pathspecs', 'checkout', '--force', '--', below || '.'])
  const notices: string[] = []
  for (const [, hash = '', path = ''] of files.flatMap((line) => [SUBMODULE.exec(line) ?? []])) {
    if (path === '') continue
    const inner = join(checkout, path)
    // Git makes no checkout through a link of the version either.
    if (linkOnTheWay(to, join(to, path)) !== null) throw fail(ref, NO_CHECKOUT)
    const isThere =
      existsSync(join(inner, '.git')) && (await askGit(inner, ['cat-file', '-e', `${hash}^{commit}`])) !== null
    if (isThere) notices.push(...(await layOut({ checkout: inner, commit: hash, below: '', to: join(to, path), ref })))
    else
      notices.push(
        `The submodule ${path} is not in ${ref} as it runs here: its commit ${hash.slice(0, 10)} is not fetched. Fetch it: git submodule update --init ${path}`,
      )
  }
  return notices
}

async function ask(checkout: string, ref: string, words: readonly string[]): Promise<string> {
  const chunks: Buffer[] = []
  const onChunk = (chunk: Buffer): void => void chunks.push(chunk)
  const answered = await askGit(checkout, words, { deadlineMs: DEADLINE_MS, isOwnConfig: true, onChunk })
  if (answered !== null) return Buffer.concat(chunks).toString()
  throw fail(ref, NO_CHECKOUT)
}

const NO_CHECKOUT =
  'Git cannot check it out. Fetch what a shallow or partial clone lacks, and compare with a commit that Git made.'

const SUBMODULE = /^160000 ([0-9a-f]+) 0\t([\s\S]+)$/
const DEADLINE_MS = 300_000

function emptyCheckout(to: string, isSha256: boolean): string {
  const folder = join(to, '.git')
  mkdirSync(join(folder, 'objects', 'info'), { recursive: true })
  mkdirSync(join(folder, 'refs'))
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
  const format = isSha256
    ? '\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n'
    : '\trepositoryformatversion = 0\n'
  writeFileSync(join(folder, 'config'), `[core]\n${format}`)
  return folder
}

function readFolder({ root, ref, to }: VersionRequest, folder: string): Files {
  emptyCheckout(to, false)
  cpSync(folder, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => source === folder || !LEFT_OUT.has(basename(source)),
  })
  return {
    ref,
    commit: null,
    root: to,
    now: root,
    isOwn: findForeignFile(root, [join(folder, '.')]) === null,
    notices: [],
  }
}

const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.vitest', 'node_modules'])

// A skill at the place that it had needs no search.
function skillsLost({ root, now }: Files): readonly EarlierSkill[] {
  return listEntries(root, true).flatMap((entry) => {
    if (entry.name !== 'SKILL.md' || !entry.isFile()) return []
    const dir = entry.parentPath
    if (dir.includes(`${sep}evals${sep}`) || isFile(join(now, relative(root, dir), 'SKILL.md'))) return []
    const name = basename(dir)
    const alias = declaredName(join(dir, 'SKILL.md'))
    return [{ name, dir, ...(alias === null || alias === name ? {} : { alias }) }]
  })
}
