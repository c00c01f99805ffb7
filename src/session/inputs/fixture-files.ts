import { lstatSync, type Stats } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { whyHidden } from '../../formats/paths.ts'
import type { Suite } from '../../formats/suite.ts'
import type { Position } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { sumOf } from '../../lib/lists.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { kindOf, listTree } from './list-tree.ts'

/** A file or folder that a case names. */
export interface NamedFile {
  /** Absolute path. */
  readonly from: string
  /** Path in the workspace. */
  readonly to: string
  /** A second path in the workspace, of a file. */
  readonly alsoTo?: string
  readonly at: Position
}

/** Where a named file is declared, for errors. */
export interface Declaration {
  /** Absolute path of the package. */
  readonly packageRoot: string
  /** Absolute path of the case file. */
  readonly caseFile: string
}

/** One file that lands in the workspace. */
export interface FixtureCopy {
  /** Absolute path. */
  readonly file: string
  /** Path in the workspace. */
  readonly to: string
  /** Bytes. */
  readonly size: number
  readonly mode: number
  /** Such as `fixtures/a.pdf (evals/cases/a.yaml:7:5)`. */
  readonly entry: string
}

/**
 * Resolves what a case names to regular files, a folder to all it holds. Refuses what could carry something
 * else into the session: links, pipes, devices, setuid files, other cases and recordings, and sizes without end.
 */
export function fixtureFiles(
  named: readonly NamedFile[],
  declaration: Declaration,
  limits: FixtureLimits = DEFAULT_LIMITS,
): readonly FixtureCopy[] {
  const copies = named.flatMap((entry) => filesOf(entry, declaration, limits))
  const bytes = sumOf(copies, (copy) => copy.size)
  const first = copies[0]
  if (first !== undefined && copies.length > limits.files) {
    throw refuse(first.entry, `is one of more than ${limits.files.toLocaleString('en')} files in all`, SMALLER)
  }
  if (first !== undefined && bytes > limits.totalBytes) {
    throw refuse(
      largest(copies).entry,
      `is the largest of files that are more than ${mebibytes(limits.totalBytes)} in all`,
      SMALLER,
    )
  }
  // Limits count a fixture once.
  const second = new Map(named.flatMap(({ to, alsoTo }) => (alsoTo === undefined ? [] : [[to, alsoTo] as const])))
  return [
    ...copies,
    ...copies.flatMap((copy) => {
      const to = second.get(copy.to)
      return to === undefined ? [] : [{ ...copy, to }]
    }),
  ]
}

/** How much a case may put into its workspace. */
export interface FixtureLimits {
  readonly files: number
  /** Bytes of one file. */
  readonly fileBytes: number
  readonly totalBytes: number
}

/** The folder below which a suite's fixtures have to lie. */
export function fixtureRoot(
  suite: Partial<Pick<Suite, 'before' | 'packageRoot' | 'skill'>>,
  packageRoot: string,
): string {
  // A case has today's fixtures, whichever version of its package it runs with.
  if (suite.skill === undefined) return (suite.before === undefined ? undefined : suite.packageRoot) ?? packageRoot
  const { projectRoot } = suite.skill
  const ownRoot = suite.packageRoot ?? projectRoot
  return projectRoot.startsWith(`${ownRoot}${sep}`) ? ownRoot : projectRoot
}

/** Names an entry of a case in an error. */
export function describeEntry(entry: Pick<NamedFile, 'to' | 'at'>, declaration: Declaration): string {
  const file = pathFrom(declaration.packageRoot, declaration.caseFile)
  return `${JSON.stringify(entry.to)} (${file}:${entry.at.line}:${entry.at.column})`
}

const DEFAULT_LIMITS: FixtureLimits = { files: 10_000, fileBytes: 268_435_456, totalBytes: 536_870_912 }
const SMALLER = 'Use a smaller fixture.'
const PLAIN = 'Fixtures are regular files; put a copy of it there instead.'

function filesOf(named: NamedFile, declaration: Declaration, limits: FixtureLimits): readonly FixtureCopy[] {
  const entry = describeEntry(named, declaration)
  const found = statWithoutLinks(named.from, entry, declaration.packageRoot)
  if (!found.isDirectory()) return [checked({ file: named.from, to: named.to, entry }, found, declaration, limits)]
  const tree = listTree(named.from, { maxFiles: limits.files + 1 })
  const [linked] = tree.links
  const skipped = tree.skipped[0] ?? (linked && { path: linked.path, reason: 'is a symbolic link' })
  if (skipped !== undefined)
    throw refuse(entry, `holds ${JSON.stringify(skipped.path)}, which ${skipped.reason}`, PLAIN)
  return tree.files.map(({ path }) => {
    const file = join(named.from, path)
    return checked({ file, to: `${named.to}/${path}`, entry }, lstatSync(file), declaration, limits)
  })
}

function statWithoutLinks(file: string, entry: string, packageRoot: string): Stats {
  const inside = relative(packageRoot, resolve(file))
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw refuse(entry, 'is outside the package', 'Copy it below evals/fixtures/ and name it there.')
  }
  const segments = inside.split(sep)
  for (const [index] of segments.entries()) {
    const path = join(packageRoot, ...segments.slice(0, index + 1))
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) {
      throw new AgentEvalsError(
        'missing-input',
        `${entry} names ${file}, which does not exist. Add the file or correct the entry.`,
      )
    }
    if (index === segments.length - 1 && !found.isSymbolicLink()) return found
    if (found.isSymbolicLink()) {
      const where = index === segments.length - 1 ? 'is a symbolic link' : 'is below a folder that is a symbolic link'
      throw refuse(entry, where, PLAIN)
    }
  }
  throw refuse(entry, 'cannot be read', PLAIN)
}

function checked(
  copy: Pick<FixtureCopy, 'file' | 'to' | 'entry'>,
  found: Stats,
  declaration: Declaration,
  limits: FixtureLimits,
): FixtureCopy {
  const { file, entry } = copy
  const path = pathFrom(declaration.packageRoot, file)
  if (!found.isFile()) throw refuse(entry, kindOf(found), PLAIN)
  const hidden = file === declaration.caseFile ? 'contains the expected answers' : whyHidden(path)
  if (hidden !== null) {
    throw refuse(
      entry,
      `would show the agent ${path}, which ${hidden}`,
      'Put what the agent needs below evals/fixtures/.',
    )
  }
  if ((found.mode & 0o6000) !== 0) throw refuse(entry, 'carries a setuid or setgid bit', 'Remove it with chmod ug-s.')
  if (found.size > limits.fileBytes) {
    throw refuse(entry, `is larger than ${mebibytes(limits.fileBytes)} (${path})`, SMALLER)
  }
  return { ...copy, size: found.size, mode: found.mode }
}

function refuse(entry: string, what: string, next: string): AgentEvalsError {
  return new AgentEvalsError('unsafe-path', `${entry} ${what}. ${next}`)
}

function largest(copies: readonly FixtureCopy[]): FixtureCopy {
  return copies.reduce((a, b) => (b.size > a.size ? b : a))
}

function mebibytes(bytes: number): string {
  return `${bytes / 1_048_576} MiB`
}
