import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runProcess } from '../process.ts'

/**
 * What is odd about an overlay, as the end of a sentence about it; `null` when nothing is. Of what git ignores a fresh
 * clone has nothing. Looked at once per process.
 */
export function remarkOnOverlay(overlay: string): Promise<string | null> {
  const known = remarks.get(overlay) ?? look(overlay)
  remarks.set(overlay, known)
  return known
}

const remarks = new Map<string, Promise<string | null>>()

async function look(overlay: string): Promise<string | null> {
  if (isEmpty(overlay)) return 'is empty, so it has no effect'
  const ignored = await askGit(overlay, ['ls-files', '--others', '--ignored', '--exclude-standard', '--', '.'])
  const [first] = ignored
  if (first === undefined) return null
  const what =
    ignored.length === 1
      ? `a file that git ignores (${first})`
      : `${ignored.length} files that git ignores (such as ${first})`
  return `holds ${what}, so a fresh clone does not have it; run git add --force`
}

function isEmpty(folder: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).every((entry) => entry.isDirectory())
}

/** Of paths below a folder, whether they exist or not, those that git would ignore. Calls of one turn share one process. */
export async function ignoredBelow(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const checkout = checkoutOf(folder)
  if (checkout === null) return []
  const asked = paths.map((path) => join(folder, path))
  const batch = batches.get(checkout) ?? openBatch(checkout)
  batch.paths.push(...asked)
  const ignored = await batch.answer
  return paths.filter((_, index) => ignored.has(asked[index] ?? ''))
}

interface Batch {
  readonly paths: string[]
  readonly answer: Promise<ReadonlySet<string>>
}

const batches = new Map<string, Batch>()

function openBatch(checkout: string): Batch {
  const paths: string[] = []
  const answer = (async () => {
    await new Promise((resolve) => void setTimeout(resolve, 20))
    batches.delete(checkout)
    const found = new Set<string>()
    // An argument list has an end.
    for (let start = 0; start < paths.length; start += 500) {
      const portion = paths.slice(start, start + 500)
      for (const path of await askGit(checkout, ['check-ignore', '--no-index', '--', ...portion])) found.add(path)
    }
    return found
  })()
  const batch = { paths, answer }
  batches.set(checkout, batch)
  return batch
}

function checkoutOf(folder: string): string | null {
  for (let above = folder; ; above = dirname(above)) {
    if (existsSync(join(above, '.git'))) return above
    if (above === dirname(above)) return null
  }
}

async function askGit(cwd: string, words: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = []
  await runProcess('git', words, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
    deadlineMs: 10_000,
    onLine: (line) => void lines.push(line),
  })
  return lines
}
