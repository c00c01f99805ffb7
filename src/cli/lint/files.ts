import { lstatSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { TestSuite } from '../../formats/free-tests/test-suite.ts'
import { warningIn, type Issue } from '../../lib/documents/document.ts'
import { foldersUpTo } from '../../lib/files.ts'
import { groupBy } from '../../lib/lists.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { askGit, gitPaths } from '../../sandbox/process/git.ts'

/** Warnings for the lines by which git ignores evals: a clone, as in CI, holds none of them. */
export async function findIgnoredEvals(root: string, files: readonly string[]): Promise<readonly Issue[]> {
  const evalsPaths = files.flatMap((file): readonly EvalsPath[] => {
    const path = pathBelow(root, file)
    const folder = foldersUpTo(root, dirname(file)).findLast((one) => EVALS.has(basename(one))) ?? dirname(file)
    return path === null ? [] : [{ path, folder: pathBelow(root, folder), above: pathBelow(root, dirname(folder)) }]
  })
  const paths = [
    ...new Set(evalsPaths.flatMap(({ path, folder, above }) => [path, ...asFolder(folder), ...asFolder(above)])),
  ]
  const ignored = new Set(await ignoredBelow(root, paths))
  const isIgnored = (folder: string | null): boolean => asFolder(folder).some((one) => ignored.has(one))
  // What is ignored with all around it is a copy, such as a build.
  const hidden = evalsPaths.filter(({ path, above }) => ignored.has(path) && !isIgnored(above))
  if (hidden.length === 0) return []
  const lines = await ignoringLines(
    root,
    hidden.map(({ path }) => path),
  )
  return [...groupBy(lines, ({ file, line }) => `${file}:${line}`).values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { file, line, pattern, path } = first
    const isFolder = hidden.some((one) => one.path === path && isIgnored(one.folder))
    const more = group.length === 1 ? '' : ` and ${group.length - 1} more`
    const message = `${JSON.stringify(pattern)} hides ${path}${more} from git, so a clone, as in CI, holds no such evals. Add the line ${isFolder ? '!**/evals/' : '!**/evals/**'} below it`
    const place = isAbsolute(file) ? file : join(root, file)
    return [warningIn(place, 'ignored-evals', message, { line, column: 1 })]
  })
}

/** Of paths below a folder, whether they exist or not, those that git would ignore. */
export async function ignoredBelow(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const ignored: string[] = []
  // Asks in portions, since the output of one question is kept up to a limit.
  for (let start = 0; start < paths.length; start += PORTION) {
    const stdin = asLines(paths.slice(start, start + PORTION))
    ignored.push(...gitPaths(await askGit(folder, ['check-ignore', '-z', '--no-index', '--stdin'], { stdin })))
  }
  return ignored
}

const PORTION = 1000

/** Where git is told to ignore a path. */
interface IgnoringLine {
  /** As git names it: relative to the folder that was asked for, or absolute. */
  readonly file: string
  readonly line: number
  readonly pattern: string
  readonly path: string
}

/** The lines by which git ignores paths below a folder that it does not track. */
async function ignoringLines(folder: string, paths: readonly string[]): Promise<readonly IgnoringLine[]> {
  const fields = gitPaths(await askGit(folder, ['check-ignore', '-v', '-z', '--stdin'], { stdin: asLines(paths) }))
  return Array.from({ length: Math.floor(fields.length / 4) }, (_, index) => {
    const [file = '', line, pattern = '', path = ''] = fields.slice(index * 4, index * 4 + 4)
    return { file, line: Number(line), pattern, path }
  })
}

function asLines(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('')
}

interface EvalsPath {
  readonly path: string
  /** The folder of evals around it; `null` for the root. */
  readonly folder: string | null
  readonly above: string | null
}

const EVALS: ReadonlySet<string> = new Set(['eval', 'evals'])

function asFolder(path: string | null): readonly string[] {
  return path === null ? [] : [`${path}/`]
}

/** Warnings for free tests that expect nothing: they pass whatever is printed. The format of hooks has its own. */
export function findEmptyTests({ cases, file }: TestSuite): readonly Issue[] {
  return cases
    .filter(({ assertions, kind }) => assertions.length === 0 && kind !== 'hook' && kind !== 'broken')
    .map(({ at }) => {
      const message = 'no expectations: any output passes'
      return { code: 'no-expectations', severity: 'warning', file, field: 'expected', message, ...at }
    })
}

/** Errors for files that a skill's free test needs and that are not there. */
export function findMissingTestFiles({ cases, file, partDir }: TestSuite): readonly Issue[] {
  const isThere = (path: string): boolean => lstatSync(join(partDir, path), { throwIfNoEntry: false }) !== undefined
  return cases.flatMap((test) => {
    if (test.kind !== 'skill') return []
    return test.files.flatMap(({ path, at }, index): readonly Issue[] => {
      if (isThere(path)) return []
      const hint = isThere(`tests/${path}`) ? `; write "tests/${path}"` : ''
      const message = `${path} does not exist below the skill's folder${hint}`
      return [{ code: 'file-missing', severity: 'error', file, field: `input.files.${index}`, message, ...at }]
    })
  })
}
