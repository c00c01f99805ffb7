import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { whyHidden } from '../../formats/paths.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import type { Position } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { checkoutAround } from '../../lib/files.ts'
import { followLink } from '../../lib/links.ts'
import { pathBelow, pathFrom } from '../../packages/package-root.ts'
import { assertSize, describeKind, listFiles, type CopyLimits, type ListedFile, type Listing } from './list-files.ts'

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
export interface FixtureCopy extends Omit<ListedFile, 'path'> {
  /** Path in the workspace. */
  readonly to: string
  /** Such as `fixtures/a.pdf (evals/cases/a.yaml:7:5)`. */
  readonly entry: string
}

/**
 * Resolves what a case names to regular files, a folder to all it holds. Refuses what could carry something else into the
 * session: links out of the repository, pipes, devices, other cases and recordings, and sizes without end.
 */
export function fixtureFiles(
  named: readonly NamedFile[],
  declaration: Declaration,
  limits?: CopyLimits,
): readonly FixtureCopy[] {
  const copies = named.map((one) => ({ ...one, files: filesOf(one, declaration, limits) }))
  const all = copies.flatMap(({ files }) => files)
  if (all[0] !== undefined) assertSize(`What the case of ${all[0].entry} names`, all, limits)
  return copies.flatMap(({ to, alsoTo, files }) => {
    const second = alsoTo === undefined ? [] : files.filter((file) => file.to === to)
    return [...files, ...second.map((file) => ({ ...file, to: alsoTo ?? to }))]
  })
}

/** The files that a case has copied into its workspace: its fixtures, and those of the others that have an original. */
export function filesOfCase({
  files,
  workspaceFiles,
}: Pick<EvalCase, 'files' | 'workspaceFiles'>): readonly NamedFile[] {
  const copied = workspaceFiles.flatMap(({ from, to, at }) => (from === null ? [] : [{ from, to, at }]))
  return [...files, ...copied]
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

function filesOf(named: NamedFile, declaration: Declaration, limits?: CopyLimits): readonly FixtureCopy[] {
  const { packageRoot, caseFile } = declaration
  const entry = describeEntry(named, declaration)
  const place = pathBelow(packageRoot, named.from)
  if (place === null) throw refuse(entry, 'is outside the package')
  if (lstatSync(named.from, { throwIfNoEntry: false }) === undefined) {
    throw new AgentEvalsError(
      'missing-input',
      `${entry} names ${named.from}, which does not exist. Add the file or correct the entry.`,
    )
  }
  const { files, leftOut } = listNamed(named.from, packageRoot, limits)
  const [first] = leftOut
  if (first !== undefined) throw refuse(entry, `would show the agent ${join(place, first.path)}, which ${first.why}`)
  if (files.some(({ file }) => file === caseFile))
    throw refuse(entry, `would show the agent ${place}, which contains the expected answers`)
  return files.map(({ path, ...file }) => ({ ...file, to: path === '' ? named.to : `${named.to}/${path}`, entry }))
}

function refuse(entry: string, what: string): AgentEvalsError {
  return new AgentEvalsError('unsafe-path', `${entry} ${what}. Put what the agent needs below evals/fixtures/.`)
}

/**
 * Lists a file or folder that a case names: a fixture, an overlay or a script. It may be anything of the project, so answers,
 * secrets and the repository stay out, also behind links.
 *
 * @param root - absolute path of the package or project.
 */
export function listNamed(from: string, root: string, limits?: CopyLimits): Listing {
  const within = checkoutAround(root) ?? root
  const project = realpathSync(root)
  const isLinked = !existsSync(from) || realpathSync(from) !== join(project, pathFrom(root, from))
  const found = isLinked ? followLink(from, within) : { file: from, stats: lstatSync(from) }
  if (typeof found === 'string') return { files: [], leftOut: [{ path: '', why: found }] }
  const { file, stats } = found
  const place = pathBelow(project, realpathSync(file)) ?? pathFrom(realpathSync(within), file)
  const why = whyHidden(place) ?? (stats.isFile() || stats.isDirectory() ? null : describeKind(stats))
  if (why !== null) return { files: [], leftOut: [{ path: '', why }] }
  if (stats.isFile()) return { files: [{ file, path: '', size: stats.size, mode: stats.mode }], leftOut: [] }
  return listFiles(file, {
    rule: (path) => whyHidden(`${place}/${path}`),
    linked: whyHidden,
    project,
    within,
    ...(limits === undefined ? {} : { limits }),
  })
}
