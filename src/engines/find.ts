import { realpathSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { AgentEvalsError } from '../lib/errors.ts'
import { foldersUpwards, isFile, readTextFile, tryStat } from '../lib/files.ts'
import { runProcess } from '../sandbox/process/run-process.ts'
import type { Engine, ProgramEngine } from './engine.ts'
import type { NewerFlag } from './version-support.ts'
import { requireEngine } from './registry.ts'

/** Where an engine is looked for. */
export interface FindOptions {
  /** Path of the executable, relative to `root`; nothing else is tried then. */
  readonly option?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Absolute path of the project. */
  readonly root: string
  /** Engines that the user supplies, beside the built-in ones. */
  readonly custom?: readonly Engine[] | undefined
}

/** An engine that is installed and starts. */
export type FoundEngine<Kind extends Engine = Engine> = Kind extends Engine ? Found<Kind> : never

interface Found<Kind> {
  readonly engine: Kind
  /** Absolute path of the program itself, wrappers followed; of this very one where an engine has none. */
  readonly executable: string
  /** `null` when it starts but prints no version that is understood. */
  readonly version: string | null
}

/** Finds an engine by name: option, `AGENT_EVALS_ENGINES`, the project's `node_modules`, PATH. */
export async function findEngine(name: string, options: FindOptions): Promise<FoundEngine> {
  const engine = requireEngine(name, options.custom)
  if ('question' in engine) return { engine, executable: process.execPath, version: null }
  return findProgram(engine, options)
}

/** Whether an engine is a program of its own. */
export function isProgram(found: FoundEngine): found is FoundEngine<ProgramEngine> {
  return !('question' in found.engine)
}

/** As {@link findEngine}, for an engine that is known to be a program. */
export async function findProgram(engine: ProgramEngine, options: FindOptions): Promise<FoundEngine<ProgramEngine>> {
  const executable = await findExecutable(engine, options)
  const version = await readVersion(engine, executable, options)
  requireSupported(engine, executable, version)
  return { engine, executable, version }
}

// All cases of a run look in the same places, and many begin at once: the first one looks for all.
async function findExecutable(engine: ProgramEngine, options: FindOptions): Promise<string> {
  const { option, environment, root } = options
  const key = [engine.name, option, root, environment['AGENT_EVALS_ENGINES'], environment['PATH']].join('\0')
  const cached = executables.get(key)
  if (cached !== undefined && isFile(await cached)) return cached
  const search = searchExecutable(engine, options)
  executables.set(key, search)
  search.catch(() => executables.delete(key))
  return search
}

async function searchExecutable(engine: ProgramEngine, options: FindOptions): Promise<string> {
  const file = locate(engine, options)
  const program = engine.resolveExecutable === undefined ? file : await resolveShim(file, options)
  return engine.resolveExecutable?.(program) ?? program
}

const executables = new Map<string, Promise<string>>()

function locate(engine: ProgramEngine, { option, environment, root }: FindOptions): string {
  if (option !== undefined) {
    const file = resolve(root, option)
    if (isFile(file)) return file
    throw new AgentEvalsError(
      'engine-not-found',
      `There is no ${engine.executable} at ${file}, the path set for the engine "${engine.name}". Correct it, or remove it to search for ${engine.executable}.`,
    )
  }

  const folder = environment['AGENT_EVALS_ENGINES'] ?? ''
  const named = folder === '' ? null : join(resolve(root, folder), 'node_modules/.bin')
  const candidates = [
    ...(named === null ? [] : [named]),
    ...foldersUpwards(resolve(root)).flatMap((ancestor) => trustedBin(ancestor, resolve(root))),
    // An empty entry of PATH means the current folder, which is not trusted.
    ...(environment['PATH'] ?? '').split(delimiter).filter((entry) => entry !== ''),
  ]
  const found = candidates.map((candidate) => join(candidate, engine.executable)).find(isFile)
  if (found !== undefined) return found
  throw new AgentEvalsError(
    'engine-not-found',
    `The engine "${engine.name}" needs \`${engine.executable}\`, which is ${named === null ? 'not in AGENT_EVALS_ENGINES (not set)' : `not in ${named} (AGENT_EVALS_ENGINES)`}, not in node_modules of ${root} or above, and not on PATH. ${installAdvice(engine)}`,
  )
}

// Above the project may be folders that everyone can write, such as /tmp.
function trustedBin(ancestor: string, root: string): readonly string[] {
  const bin = join(ancestor, 'node_modules/.bin')
  const owners = new Set([process.getuid?.(), 0, tryStat(root)?.uid])
  const isTrusted = [dirname(bin), bin].every((folder) => owners.has(tryStat(folder)?.uid))
  return ancestor === root || process.getuid === undefined || isTrusted ? [bin] : []
}

// Each program is asked once, however many cases it runs; one that was replaced meanwhile is asked again.
function readVersion(engine: ProgramEngine, executable: string, options: FindOptions): Promise<string | null> {
  const { size, mtimeMs } = statSync(executable)
  const key = `${executable}\0${size}\0${mtimeMs}`
  const cached = versions.get(key)
  if (cached !== undefined) return cached
  const version = askVersion(engine, executable, options)
  versions.set(key, version)
  return version
}

async function askVersion(engine: ProgramEngine, executable: string, options: FindOptions): Promise<string | null> {
  const cache = options.environment['XDG_CACHE_HOME']
  const env = {
    PATH: options.environment['PATH'] ?? '',
    HOME: options.environment['HOME'] ?? '',
    ...(cache === undefined ? {} : { XDG_CACHE_HOME: cache }),
  }
  const result = await runProcess(executable, engine.versionArguments, {
    env,
    cwd: dirname(executable),
    deadlineMs: VERSION_SECONDS * 1000,
  })
  if (result.exitCode === 0) return engine.parseVersion(result.stdoutTail)

  const ending = result.timedOut
    ? `no answer within ${VERSION_SECONDS} s`
    : result.signal === null
      ? `exit code ${result.exitCode}`
      : `signal ${result.signal}`
  const detail = result.spawnError?.message ?? (result.stderrTail.trim() || result.stdoutTail.trim() || ending)
  const command = [executable, ...engine.versionArguments].join(' ')
  throw new AgentEvalsError(
    'engine-failed',
    `\`${command}\` does not start: ${detail.slice(0, 500).replace(/[.?!]$/, '')}. ${installAdvice(engine)}`,
  )
}

const VERSION_SECONDS = 30

const versions = new Map<string, Promise<string | null>>()

/** What the programs have answered that this process has asked, by file, size and time: for {@link learnVersions}. */
export async function knownVersions(): Promise<Readonly<Record<string, string>>> {
  const answers = await Promise.all(
    [...versions].map(async ([key, version]) => [key, await version.catch(() => null)] as const),
  )
  return Object.fromEntries(answers.flatMap(([key, version]) => (version === null ? [] : [[key, version]])))
}

/** Spares a worker the start of each program that the main process has asked. */
export function learnVersions(answers: Readonly<Record<string, string>>): void {
  for (const [key, version] of Object.entries(answers))
    if (!versions.has(key)) versions.set(key, Promise.resolve(version))
}

function installAdvice(engine: ProgramEngine): string {
  const command = installCommand(engine)
  if (command === null) return `Install ${engine.executable}.`
  return `Install it with ${command}${engine.installNote === undefined ? '' : ` (${engine.installNote})`}.`
}

/** Where a version manager is asked. */
export interface ShimContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Absolute path of the project: it decides the version. */
  readonly root: string
}

/**
 * The program behind the shim of a version manager (asdf, mise, nodenv, volta), by asking the manager; a file that is no
 * shim is returned as it is.
 */
export async function resolveShim(file: string, { environment, root }: ShimContext): Promise<string> {
  const manager = managerOf(file)
  if (manager === null) return file
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const result = await runProcess(manager, ['which', basename(file)], {
    env,
    cwd: root,
    deadlineMs: SECONDS * 1000,
  })
  const found = result.stdoutTail.trim()
  return result.exitCode === 0 && isOther(found, file) ? found : file
}

const SECONDS = 30

// A shim is a link to the manager, or a script that starts it.
function managerOf(file: string): string | null {
  const real = realpathSync(file)
  if (basename(real) === 'mise' || basename(real) === 'rtx') return real
  if (basename(real) === 'volta-shim') return join(dirname(real), 'volta')
  if (statSync(real).size > MAX_SCRIPT_BYTES) return null
  const text = readTextFile(real)
  if (!text.startsWith('#!')) return null
  return /(?:^|[\s"'/])(asdf|mise|nodenv|rtx)["']?\s+(?:exec|x)\b/.exec(text)?.[1] ?? null
}

const MAX_SCRIPT_BYTES = 65_536

function isOther(found: string, file: string): boolean {
  return isFile(found) && realpathSync(found) !== realpathSync(file)
}

/** How to install the newest version of a program. */
export function installCommand({ support }: Pick<ProgramEngine, 'support'>): string | null {
  return support === undefined ? null : `\`npm i -D ${support.npmPackage}@latest\``
}

/** @throws {AgentEvalsError} `engine-too-old` */
export function requireSupported(engine: ProgramEngine, executable: string, version: string | null): void {
  const { support } = engine
  if (support === undefined || version === null || !isOlder(version, support.oldest)) return
  throw new AgentEvalsError(
    'engine-too-old',
    `${engine.name} ${version} is too old: ${support.oldest} is the oldest supported version. Update ${executable}: ${installCommand(engine)}.`,
  )
}

/** The arguments without the flags that this version does not know. A version that is unknown knows all of them. */
export function supportedArguments(
  engine: Pick<ProgramEngine, 'support'>,
  version: string | null,
  args: readonly string[],
): readonly string[] {
  const unknown = unknownFlags(engine, version)
  return args.filter((argument) => !unknown.some(({ flag }) => argument === flag || argument.startsWith(`${flag}=`)))
}

/** What runs of this version lack, one sentence for each flag. */
export function describeLosses({ engine, version }: FoundEngine<ProgramEngine>): readonly string[] {
  return unknownFlags(engine, version).map(
    ({ flag, since, lost }) =>
      `${engine.name} ${version} has no \`${flag}\` (since ${since}). ${lost} Update it: ${installCommand(engine)}.`,
  )
}

function unknownFlags({ support }: Pick<ProgramEngine, 'support'>, version: string | null): readonly NewerFlag[] {
  return version === null ? [] : (support?.newerFlags ?? []).filter(({ since }) => isOlder(version, since))
}

/** Compares `1.2.3`; what follows the numbers, such as `-alpha.1`, does not count. */
function isOlder(version: string, than: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(than)]
  const index = right.findIndex((number, at) => number !== (left[at] ?? 0))
  return index >= 0 && (left[index] ?? 0) < (right[index] ?? 0)
}

function numbersOf(version: string): readonly number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number)
}
