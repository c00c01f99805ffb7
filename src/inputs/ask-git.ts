import { join, sep } from 'node:path'
import { checkoutAround } from '../files.ts'
import { askGit, askGitNow, gitPaths } from '../process/git.ts'

/** Of paths below a folder, whether they exist or not, those that git would ignore. */
export async function ignoredBelow(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const asked = paths.map((path) => join(folder, path))
  const ignored = new Set(await askIgnored(folder, asked))
  return paths.filter((_, index) => ignored.has(asked[index] ?? ''))
}

/** Where git is told to ignore a path. */
export interface IgnoringLine {
  /** As git names it: relative to the folder that was asked for, or absolute. */
  readonly file: string
  readonly line: number
  readonly pattern: string
  readonly path: string
}

/** The lines by which git ignores paths below a folder that it does not track. */
export async function ignoringLines(folder: string, paths: readonly string[]): Promise<readonly IgnoringLine[]> {
  const stdin = paths.map((path) => `${path}\0`).join('')
  const fields = gitPaths(await askGit(folder, ['check-ignore', '-v', '-z', '--stdin'], { stdin }))
  return Array.from({ length: Math.floor(fields.length / 4) }, (_, index) => {
    const [file = '', line, pattern = '', path = ''] = fields.slice(index * 4, index * 4 + 4)
    return { file, line: Number(line), pattern, path }
  })
}

/** Files in a folder that git ignores, relative to it. */
export async function ignoredFilesIn(folder: string): Promise<readonly string[]> {
  const start = `${folder}${sep}`
  const found = await askIgnoredFiles(folder, [folder])
  return found.flatMap((path) => (path.startsWith(start) ? [path.slice(start.length)] : []))
}

/**
 * Paths below a folder, `/`-separated, that git tracks and that have a folder of one of these names above them. Empty
 * where there is no git.
 */
export function trackedBelow(root: string, names: readonly string[]): ReadonlySet<string> {
  const patterns = names.map((name) => `:(glob)**/${name}/**`)
  return new Set(gitPaths(askGitNow(root, ['ls-files', '-z', '--cached', '--', ...patterns])))
}

const askIgnored = batched(async (checkout, paths) =>
  gitPaths(
    await askGit(checkout, ['check-ignore', '-z', '--no-index', '--stdin'], {
      stdin: paths.map((path) => `${path}\0`).join(''),
    }),
  ),
)

const askIgnoredFiles = batched(async (checkout, folders) => {
  const words = ['--literal-pathspecs', 'ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--']
  const found = gitPaths(await askGit(checkout, [...words, ...folders]))
  return found.map((path) => join(checkout, path))
})

type Ask = (checkout: string, paths: readonly string[]) => Promise<readonly string[]>

interface Batch {
  readonly paths: string[]
  readonly answer: Promise<readonly string[]>
}

// A process for each suite takes longer than everything else that is done with it: questions of one turn share one.
function batched(ask: Ask): (folder: string, paths: readonly string[]) => Promise<readonly string[]> {
  const batches = new Map<string, Batch>()
  const open = (checkout: string): Batch => {
    const paths: string[] = []
    const answer = (async () => {
      await new Promise((resolve) => void setTimeout(resolve, WAIT_MS))
      batches.delete(checkout)
      // A list of arguments, and what is kept of an output, has an end.
      const portions = Array.from({ length: Math.ceil(paths.length / PORTION) }, (_, index) =>
        paths.slice(index * PORTION, (index + 1) * PORTION),
      )
      return (await Promise.all(portions.map((portion) => ask(checkout, portion)))).flat()
    })()
    return { paths, answer }
  }
  return (folder, paths) => {
    const checkout = checkoutAround(folder)
    if (checkout === null) return Promise.resolve([])
    const batch = batches.get(checkout) ?? open(checkout)
    batches.set(checkout, batch)
    batch.paths.push(...paths)
    return batch.answer
  }
}

const WAIT_MS = 20
const PORTION = 1000
