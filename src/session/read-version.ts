import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { BeforeVersion, EarlierSkill } from '../formats/before.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { checkoutAround, isFile, isFolder, listEntries } from '../lib/files.ts'
import { sumOf } from '../lib/lists.ts'
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

interface Entry {
  readonly mode: string
  readonly hash: string
  readonly size: number
  readonly path: string
}

// A repository inside of it is laid out in its place, at the commit that it is pinned to.
async function layOut({ checkout, commit, below, to, ref }: Tree): Promise<readonly string[]> {
  const entries = await listTreeOf({ checkout, commit, below, ref })
  const bytes = sumOf(entries, ({ size }) => size)
  if (entries.length > MOST_FILES || bytes > MOST_BYTES)
    throw fail(ref, `it has more than ${MOST_FILES.toLocaleString('en')} files or 1 GiB. Run in a folder of it.`)
  requireOrdinary(entries, ref)
  const notices: string[] = []
  await makeCheckout({ checkout, commit, to })
  const blobs = entries.filter(({ mode }) => mode !== SUBMODULE)
  // Nothing is written through a link.
  await writeBlobs(checkout, to, [...blobs.filter(isNoLink), ...blobs.filter((one) => !isNoLink(one))], ref)
  for (const { path, hash } of entries.filter(({ mode }) => mode === SUBMODULE)) {
    const inner = join(checkout, path)
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

function isNoLink({ mode }: Entry): boolean {
  return mode !== LINK
}

async function listTreeOf({ checkout, commit, below, ref }: Omit<Tree, 'to'>): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let rest = ''
  const read = (text: string): void => {
    const lines = `${rest}${text}`.split('\0')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, mode = '', hash = '', size = '', path = ''] = ENTRY.exec(line) ?? []
      if (path !== '') entries.push({ mode, hash, size: Number(size) || 0, path })
    }
  }
  const decoder = new TextDecoder()
  const answered = await askGit(
    checkout,
    ['ls-tree', '-r', '-z', '--long', '--full-tree', commit, ...(below === '' ? [] : ['--', below])],
    { onChunk: (chunk) => read(decoder.decode(chunk, { stream: true })), deadlineMs: DEADLINE_MS },
  )
  if (answered === null) throw fail(ref, 'Git cannot list its files. A partial clone lacks them: fetch them first.')
  return entries
}

const ENTRY = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/

// What copies a project or a package asks Git which files it knows: a checkout of its own that borrows all objects.
async function makeCheckout({ checkout, commit, to }: Pick<Tree, 'checkout' | 'commit' | 'to'>): Promise<void> {
  const objects = (await askGit(checkout, ['rev-parse', '--git-path', 'objects']))?.trim()
  const folder = emptyCheckout(to, commit.length === 64)
  writeFileSync(join(folder, 'objects', 'info', 'alternates'), `${resolve(checkout, objects ?? '.git/objects')}\n`)
  await askGit(to, ['read-tree', commit])
}

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

async function writeBlobs(checkout: string, to: string, entries: readonly Entry[], ref: string): Promise<void> {
  const left = [...entries]
  let written = 0
  const take = (bytes: Buffer): void => {
    const entry = left[written]
    if (entry === undefined) return
    written += 1
    writeEntry(join(to, entry.path), entry, bytes)
  }
  const reader = readBatch(take)
  const stdin = `${entries.map(({ hash }) => hash).join('\n')}\n`
  const answered =
    entries.length === 0
      ? ''
      : await askGit(checkout, ['cat-file', '--batch'], { stdin, onChunk: reader, deadlineMs: DEADLINE_MS })
  if (answered === null || written < entries.length)
    throw fail(ref, 'Git cannot read all of its files. A partial clone lacks them: fetch them first.')
}

function writeEntry(file: string, { mode }: Entry, bytes: Buffer): void {
  mkdirSync(dirname(file), { recursive: true })
  if (mode === LINK) symlinkSync(bytes.toString('utf8'), file)
  else writeFileSync(file, bytes, { mode: mode === EXECUTABLE ? 0o755 : 0o644, flag: 'wx' })
}

// A tree that was made by hand may name what leads out, also through a link of its own, or our own checkout.
function requireOrdinary(entries: readonly Entry[], ref: string): void {
  const paths = new Set(entries.map(({ path }) => path))
  const odd = [...paths].find((path) => {
    const parts = path.split('/')
    const isBelowAnother = parts.some((_, index) => index > 0 && paths.has(parts.slice(0, index).join('/')))
    return isBelowAnother || parts.some((part) => ['', '.', '..', '.git'].includes(part.toLowerCase()))
  })
  if (odd === undefined && paths.size === entries.length) return
  const why = odd === undefined ? 'one path twice' : `${JSON.stringify(odd)}, which leads out of it`
  throw fail(ref, `its tree names ${why}. Compare with a commit that Git made.`)
}

const LINK = '120000'
const EXECUTABLE = '100755'
const SUBMODULE = '160000'
const MOST_FILES = 100_000
const MOST_BYTES = 1_073_741_824
const DEADLINE_MS = 300_000

/** Reads what `git cat-file --batch` writes: a line with the size of each object, and its bytes. */
function readBatch(take: (bytes: Buffer) => void): (chunk: Buffer) => void {
  let held: Buffer[] = []
  let length = 0
  let size: number | null = null
  return (chunk) => {
    held.push(chunk)
    length += chunk.length
    for (;;) {
      if (size !== null && length < size + 1) return
      const all = held.length === 1 ? (held[0] ?? chunk) : Buffer.concat(held)
      const end = size ?? all.indexOf(10)
      if (end === -1) {
        held = [all]
        return
      }
      const part = all.subarray(0, end)
      held = [all.subarray(end + 1)]
      length = all.length - end - 1
      if (size === null) size = Number(/ (\d+)$/.exec(part.toString('latin1'))?.[1] ?? 0)
      else {
        take(part)
        size = null
      }
      if (length === 0 && size !== 0) return
    }
  }
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
