import { readdirSync } from 'node:fs'
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
  if (isEmpty(overlay)) return 'is empty, so it sets up nothing'
  const ignored = await askGit(overlay, ['ls-files', '--others', '--ignored', '--exclude-standard', '--', '.'])
  const [first] = ignored
  if (first === undefined) return null
  const what =
    ignored.length === 1
      ? `a file that git ignores (${first})`
      : `${ignored.length} files that git ignores (such as ${first})`
  return `holds ${what}, so a fresh clone is without; add with git add --force`
}

function isEmpty(folder: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).every((entry) => entry.isDirectory())
}

/** Of paths below a folder, whether they exist or not, those that git would ignore. */
export function ignoredBelow(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  return askGit(folder, ['check-ignore', '--no-index', '--', ...paths])
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
