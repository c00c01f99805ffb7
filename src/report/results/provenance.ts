import { readFileSync } from 'node:fs'
import { machine } from 'node:os'
import { PRICE_TABLE } from '../../gateway/budget/price.ts'
import { ownFile } from '../../own-folder.ts'
import { absolutePath, askGit } from '../../sandbox/process/git.ts'
import { runProcess } from '../../sandbox/process/run-process.ts'

/** Where and with what a run was made. Unknown is `null`. */
export interface Provenance {
  readonly os: string
  /** As `uname -m` says it. */
  readonly arch: string
  readonly nodeVersion: string
  readonly pythonVersion: string | null
  /** Revision of the repository; `null` outside one. */
  readonly git: { readonly commit: string; readonly dirty: boolean } | null
  readonly agentEvalsVersion: string | null
  readonly vitestVersion: string | null
  /** Package that the prices come from, with its version. */
  readonly priceTable: string | null
}

/** What needs no other program. It is what a run that is cut short still knows. */
export function knownProvenance(vitestVersion: string | null): Provenance {
  return {
    os: process.platform,
    arch: machine(),
    nodeVersion: process.versions.node,
    pythonVersion: null,
    git: null,
    agentEvalsVersion: readOwnVersion(),
    vitestVersion,
    priceTable: readPriceTable(),
  }
}

/** Makes a reader that asks git and python at its first call, and only once per folder. */
export function createProvenanceReader(vitestVersion: string | null): (packageRoot: string) => Promise<Provenance> {
  let python: Promise<string | null> | null = null
  const revisions = new Map<string, Promise<Provenance['git']>>()

  return async (packageRoot) => {
    python ??= readPythonVersion(packageRoot)
    const revision = revisions.get(packageRoot) ?? readRevision(packageRoot)
    revisions.set(packageRoot, revision)
    const [pythonVersion, git] = await Promise.all([python, revision])
    return { ...knownProvenance(vitestVersion), pythonVersion, git }
  }
}

async function readPythonVersion(cwd: string): Promise<string | null> {
  const result = await runProcess('python3', ['--version'], {
    cwd,
    env: { PATH: absolutePath(), HOME: process.env['HOME'] ?? '', LC_ALL: 'C' },
    deadlineMs: 10_000,
  })
  const output = result.exitCode === 0 && !result.timedOut ? result.stdoutTail : ''
  return /^Python (\S+)/.exec(output)?.[1] ?? null
}

async function readRevision(cwd: string): Promise<Provenance['git']> {
  const [commit, changes] = await Promise.all([
    askGit(cwd, ['rev-parse', '--verify', 'HEAD']),
    askGit(cwd, ['status', '--porcelain', '--untracked-files=normal', '--', ':/', ...IGNORED]),
  ])
  if (commit === null || changes === null) return null
  return { commit: commit.trim(), dirty: changes.trim() !== '' }
}

/** Version of this package. */
export function readOwnVersion(): string | null {
  return readOwnManifest().version ?? null
}

function readPriceTable(): string | null {
  const version = readOwnManifest().dependencies?.[PRICE_TABLE]
  return version === undefined ? null : `${PRICE_TABLE} ${version}`
}

function readOwnManifest(): { version?: string; dependencies?: Readonly<Record<string, string>> } {
  try {
    return JSON.parse(readFileSync(ownFile('../package.json'), 'utf8'))
  } catch {
    return {}
  }
}

// What a run itself writes does not make the repository dirty.
const IGNORED = [':(top,exclude,glob)**/evals/reports/**', ':(top,exclude,glob)**/evals/recordings/**']
