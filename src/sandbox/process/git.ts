import { existsSync, lstatSync, mkdtempSync, readFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { checkoutAround } from '../../lib/files.ts'
import { shorten, singleSpaced } from '../../lib/text.ts'
import { readOutput, runProcess, type ProcessResult } from './run-process.ts'

/** What a question to Git may need. */
interface GitOptions {
  readonly stdin?: string | undefined
  readonly onLine?: (line: string) => void
  /** Takes the output as bytes. */
  readonly onChunk?: (chunk: Buffer) => void
  /** @default 10_000 */
  readonly deadlineMs?: number
  /** Leaves out the settings of this user and this machine, and with them every filter of files. @default false */
  readonly isOwnConfig?: boolean
}

/**
 * Asks Git about the checkout around a folder, in which it runs; `null` where there is none, or Git fails.
 *
 * The content of a repository may be anyone's: a folder of it that looks like a bare repository brings its own
 * configuration, which names programs. So Git never looks for a repository itself, runs no program that it is told of,
 * and gets no credential.
 */
export async function askGit(cwd: string, words: readonly string[], options: GitOptions = {}): Promise<string | null> {
  const checkout = checkoutAround(cwd)
  if (checkout === null) return null
  const { exitCode, timedOut, stdoutTail } = await runGit(checkout, cwd, words, options)
  return exitCode === 0 && !timedOut ? stdoutTail : null
}

function runGit(
  checkout: string,
  cwd: string,
  words: readonly string[],
  { stdin, onLine, onChunk, deadlineMs = 10_000, isOwnConfig = false }: GitOptions,
): Promise<ProcessResult> {
  return runProcess('git', [...placeOf(checkout), ...SAFE, ...words], {
    cwd,
    env: { ...environmentFor(checkout), ...(isOwnConfig ? NO_CONFIG : {}) },
    deadlineMs,
    stdin,
    onLine,
    onChunk,
  })
}

/** Says in a sentence why Git does not answer in a checkout, where {@link askGit} gave `null`. */
export async function whyGitFails(cwd: string): Promise<string> {
  const { spawnError, stderrTail } = await runGit(checkoutAround(cwd) ?? cwd, cwd, ['rev-parse', '--git-dir'], {})
  if (spawnError !== null) return 'The program git cannot be started; install it.'
  const said = singleSpaced(stderrTail)
  return said === '' ? 'It did not say why.' : `It says: ${shorten(said, 300)}`
}

/** As {@link askGit}, for the few places that cannot wait in another way. */
export function askGitNow(cwd: string, words: readonly string[]): string | null {
  const checkout = checkoutAround(cwd)
  if (checkout === null) return null
  return readOutput('git', [...placeOf(checkout), ...SAFE, ...words], { cwd, env: environmentFor(checkout) })
}

/**
 * Of the entries of a folder, those that this user made: files and folders of this user that are no links, and of which
 * Git tracks nothing. What a repository brings is somebody else's.
 */
export function ownEntries(folder: string, names: readonly string[]): readonly string[] {
  const user = process.getuid?.()
  const found = names.filter((name) => {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false })
    return (stats?.isDirectory() === true || stats?.isFile() === true) && (user === undefined || stats.uid === user)
  })
  if (found.length === 0) return []
  const checkout = checkoutAround(folder)
  if (checkout === null) return found
  const listed = askGitNow(folder, ['ls-files', '-z', '--cached'])
  if (listed === null && mayTrack(checkout, folder)) return []
  const tracked = gitPaths(listed)
  const theirs = new Set(tracked.map((path) => path.split('/')[0]))
  return found.filter((name) => !theirs.has(name))
}

// Without Git, its index says whether anything of a folder is tracked: its paths stand there as they are, in all forms but
// those that save space.
function mayTrack(checkout: string, folder: string): boolean {
  const index = join(checkout, '.git', 'index')
  if (lstatSync(join(checkout, '.git')).isDirectory() && !existsSync(index)) return false
  try {
    const bytes = readFileSync(index)
    const isWhole = bytes.subarray(0, 4).toString('latin1') === 'DIRC' && bytes.readUInt32BE(4) < 4
    const path = relative(checkout, folder).split(sep).join('/')
    return !isWhole || bytes.includes(`${path}/`) || SPLIT.some((extension) => bytes.includes(extension))
  } catch {
    return true
  }
}

/** Extensions of an index that leave paths to another file, or to a folder as a whole. */
const SPLIT = ['link', 'sdir']

/** Paths in an output of Git that ends each with a null byte. */
export function gitPaths(output: string | null): readonly string[] {
  return (output ?? '').split('\0').filter((path) => path !== '')
}

// Named like this, Git does not ask whose the checkout is; that of another user is left to its `safe.directory`.
function placeOf(checkout: string): readonly string[] {
  const folder = join(checkout, '.git')
  const isOwn = process.getuid === undefined || lstatSync(folder).uid === process.getuid()
  return isOwn ? [`--git-dir=${folder}`, `--work-tree=${checkout}`] : []
}

const SAFE = [
  '--no-pager',
  ...[
    'safe.bareRepository=explicit',
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.quotepath=off',
    'protocol.allow=never',
  ].flatMap((setting) => ['-c', setting]),
]

function environmentFor(checkout: string): Readonly<Record<string, string>> {
  const kept = PASSED_ON.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(kept),
    PATH: absolutePath(),
    GIT_CEILING_DIRECTORIES: dirname(checkout),
    // Git must not take its lock while the user works, nor fetch what a partial clone lacks.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  }
}

/** The PATH without its relative entries, which would be folders of the repository. */
export function absolutePath(): string {
  return (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute).join(delimiter)
}

const NO_CONFIG = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_SYSTEM: devNull }
const PASSED_ON = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'SystemRoot', 'USERPROFILE']

/**
 * Makes an empty folder that only this user can enter, and returns its path.
 *
 * @throws {AgentEvalsError} `workspace-failed`, with what is wrong with the folder for temporary files.
 */
export function createTemporaryFolder(prefix: string, base: string = tmpdir()): string {
  try {
    return mkdtempSync(join(base, prefix))
  } catch (cause) {
    const { code = 'EIO' } = cause as NodeJS.ErrnoException
    const problem = PROBLEMS[code] ?? `no folder can be made there (${code})`
    const message = `Cannot use ${base} for temporary files: ${problem}. Set TMPDIR to a folder that can be written.`
    throw new AgentEvalsError('workspace-failed', message, { cause })
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'its permissions do not allow it',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it is not a folder',
  EPERM: 'its permissions do not allow it',
  EROFS: 'its file system is read-only',
}
