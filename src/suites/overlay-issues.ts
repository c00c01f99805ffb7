import { readdirSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { runProcess } from '../process.ts'
import type { Issue } from './issue.ts'
import type { Suite } from './suite.ts'

/** Remarks on overlays that are empty, or of which git ignores a part: a fresh clone would not have it. */
export async function findOverlayIssues(suite: Suite): Promise<readonly Issue[]> {
  const owners = new Map(suite.cases.toReversed().flatMap((one) => (one.overlays ?? []).map((dir) => [dir, one] as const)))
  const found = await Promise.all(
    [...owners].map(async ([overlay, { at }]): Promise<readonly Issue[]> => {
      const problem = isEmpty(overlay) ? 'is empty, so it sets up nothing' : await describeIgnored(overlay)
      if (problem === null) return []
      const path = relative(suite.packageRoot, overlay).split(sep).join('/')
      const message = `the overlay ${path} ${problem}`
      return [{ code: 'overlay', severity: 'warning', file: suite.file, field: '', message, ...at }]
    }),
  )
  return found.flat()
}

function isEmpty(folder: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).every((entry) => entry.isDirectory())
}

async function describeIgnored(overlay: string): Promise<string | null> {
  const ignored: string[] = []
  await runProcess('git', ['ls-files', '--others', '--ignored', '--exclude-standard', '--', '.'], {
    cwd: overlay,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
    deadlineMs: 10_000,
    onLine: (line) => void ignored.push(line),
  })
  const [first] = ignored
  if (first === undefined) return null
  return `holds ${ignored.length === 1 ? 'a file' : `${ignored.length} files`} that git ignores (${first}): a fresh clone does not have ${ignored.length === 1 ? 'it' : 'them'}. Add ${ignored.length === 1 ? 'it' : 'them'} with git add --force`
}
