import { basename, dirname, isAbsolute, join } from 'node:path'
import { warningIn, type Issue } from '../../lib/documents/document.ts'
import { foldersUpTo } from '../../lib/files.ts'
import { groupBy } from '../../lib/lists.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { askGit, gitPaths } from '../../sandbox/process/git.ts'

/** Warnings for the lines by which git ignores evals: a clone, as in CI, holds none of them. */
export async function findIgnoredEvals(root: string, files: readonly string[]): Promise<readonly Issue[]> {
  const evals = files.map((file) => {
    const folder = foldersUpTo(root, dirname(file)).findLast((one) => EVALS.has(basename(one))) ?? dirname(file)
    return { path: pathBelow(root, file), folder: asFolder(root, folder), above: asFolder(root, dirname(folder)) }
  })
  const paths = new Set(evals.flatMap((one) => Object.values(one)).filter((path) => path !== null))
  const lines = new Map((await ignoringLines(root, [...paths])).map((line) => [line.path, line]))
  const isIgnored = (path: string | null): boolean => path !== null && lines.has(path)
  const hidden = evals.flatMap(({ path, folder, above }) => {
    const line = path === null ? undefined : lines.get(path)
    // What is ignored with all around it is a copy, such as a build.
    return line === undefined || isIgnored(above) ? [] : [{ ...line, isFolder: isIgnored(folder) }]
  })
  return [...groupBy(hidden, ({ file, line }) => `${file}:${line}`).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const { file, line, pattern, path, isFolder } = first
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    const message = `${JSON.stringify(pattern)} hides ${path}${others} from git, so a clone, as in CI, holds no such evals. Add the line ${isFolder ? '!**/evals/' : '!**/evals/**'} below it`
    return [
      warningIn(isAbsolute(file) ? file : join(root, file), 'ignored-evals', message, {
        line: Number(line),
        column: 1,
      }),
    ]
  })
}

/** The line of a file, as git names it, by which git ignores a path. */
interface IgnoringLine {
  /** Relative to the folder that was asked for, or absolute. */
  readonly file: string
  readonly line: string
  readonly pattern: string
  readonly path: string
}

/** The lines by which git ignores paths below a folder that it does not track, whether they exist or not. */
export async function ignoringLines(folder: string, paths: readonly string[]): Promise<readonly IgnoringLine[]> {
  const chunks: Buffer[] = []
  await askGit(folder, ['check-ignore', '-v', '-z', '--stdin'], {
    stdin: paths.map((path) => `${path}\0`).join(''),
    onChunk: (chunk) => void chunks.push(chunk),
  })
  const fields = gitPaths(Buffer.concat(chunks).toString())
  const lines = Array.from({ length: Math.floor(fields.length / 4) }, (_, index) => {
    const [file = '', line = '', pattern = '', path = ''] = fields.slice(index * 4, index * 4 + 4)
    return { file, line, pattern, path }
  })
  // A line that begins with "!" takes a path back in.
  return lines.filter(({ pattern }) => !pattern.startsWith('!'))
}

const EVALS: ReadonlySet<string> = new Set(['eval', 'evals'])

function asFolder(root: string, folder: string): string | null {
  const path = pathBelow(root, folder)
  return path === null ? null : `${path}/`
}
