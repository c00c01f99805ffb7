import { basename, dirname, isAbsolute, join } from 'node:path'
import { ignoredBelow, ignoringLines } from '../../inputs/ask-git.ts'
import { groupBy } from '../../lists.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { foldersUpTo } from '../../files.ts'
import type { Issue } from '../../documents/issue.ts'

/** Warnings for the lines by which git ignores evals: a clone, as in CI, holds none of them. */
export async function findIgnoredEvals(root: string, files: readonly string[]): Promise<readonly Issue[]> {
  const places = files.flatMap((file): readonly Place[] => {
    const path = pathBelow(root, file)
    const folder = foldersUpTo(root, dirname(file)).find((one) => EVALS.has(basename(one))) ?? dirname(file)
    return path === null ? [] : [{ path, folder: pathBelow(root, folder), above: pathBelow(root, dirname(folder)) }]
  })
  const asked = [
    ...new Set(places.flatMap(({ path, folder, above }) => [path, ...asFolder(folder), ...asFolder(above)])),
  ]
  const ignored = new Set(await ignoredBelow(root, asked))
  const isIgnored = (folder: string | null): boolean => asFolder(folder).some((one) => ignored.has(one))
  // What is ignored with all around it is a copy, such as a build.
  const hidden = places.filter(({ path, above }) => ignored.has(path) && !isIgnored(above))
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
    const place = { file: isAbsolute(file) ? file : join(root, file), line, column: 1 }
    return [{ code: 'ignored-evals', severity: 'warning', field: '', message, ...place }]
  })
}

interface Place {
  readonly path: string
  /** The folder of evals around it; `null` for the root. */
  readonly folder: string | null
  readonly above: string | null
}

const EVALS: ReadonlySet<string> = new Set(['eval', 'evals'])

function asFolder(path: string | null): readonly string[] {
  return path === null ? [] : [`${path}/`]
}
