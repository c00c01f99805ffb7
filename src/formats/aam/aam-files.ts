import { join } from 'node:path'
import type { Issue, Position } from '../../lib/documents/document.ts'
import { describeKind, type TrackedFs } from '../../lib/documents/read-text.ts'
import { suggestBeside } from '../../lib/documents/nearest-name.ts'
import { collisionKey } from '../../lib/documents/relative-path.ts'
import type { EvalCase, FixtureFile, Suite, WorkspaceFile } from '../suite.ts'

/** Files of one entry that is a folder; more is an accident such as a dependency folder. */
const MAX_FOLDER_FILES = 10_000

/**
 * Looks for the files that a suite's case names, also where the case has a mistake and is not in the suite. A folder
 * becomes its files; what is wrong becomes issues.
 */
export async function resolveAamFiles(
  suite: Suite,
  named: Pick<EvalCase, 'files' | 'workspaceFiles'>,
  search: FixtureSearch,
): Promise<Suite> {
  const issues: Issue[] = []
  const report: Report = (field, at, code, message) => {
    issues.push({ code, severity: 'error', file: suite.file, field, message, ...at })
  }

  const files: FixtureFile[] = []
  const destinations: Destination[] = []
  for (const { field = 'input.files', ...entry } of named.files) {
    const found = await resolveFixture(entry, field, search, report)
    files.push(...found)
    destinations.push(...found.map(({ to, at }) => ({ to, at, field })))
  }

  const workspaceFiles = named.workspaceFiles.map(({ field = 'input.workspace-files', ...entry }) => {
    destinations.push({ to: entry.to, at: entry.at, field })
    return resolveWorkspaceFile(entry, field, search, report)
  })
  reportCollisions(destinations, report)
  const cases = suite.cases.map((evalCase) => ({ ...evalCase, files, workspaceFiles }))
  return { ...suite, cases, issues: [...suite.issues, ...issues] }
}

/** Where in the workspace a file of which entry lands. */
interface Destination {
  readonly to: string
  readonly at: Position
  readonly field: string
}

/** Where the files of a case are, and may not land. */
export interface FixtureSearch {
  readonly evalsDir: string
  readonly fs: TrackedFs
  readonly ownPaths: readonly string[]
}

type Report = (field: string, at: Position, code: string, message: string) => void

async function resolveFixture(
  entry: FixtureFile,
  field: string,
  { evalsDir, fs, ownPaths }: FixtureSearch,
  report: Report,
): Promise<readonly FixtureFile[]> {
  const reserved = checkReserved(entry.to, ownPaths)
  if (reserved !== null) {
    report(field, entry.at, 'reserved-path', reserved)
    return []
  }

  const found = lookBelow(evalsDir, entry.to, fs)
  if (found === 'file') return [entry]
  if (found === 'folder') return listFolder(entry, field, fs, report)
  if (found === null) {
    const hint = await whatToWrite(entry, evalsDir, fs)
    report(field, entry.at, 'file-missing', `${entry.to} does not exist below the folder of the evals${hint}`)
  } else report(field, entry.at, 'not-a-file', `${entry.to} ${found}`)
  return []
}

// Paths are relative to `evals/`, and often written as seen from the package.
async function whatToWrite({ to }: FixtureFile, evalsDir: string, fs: TrackedFs): Promise<string> {
  const rest = to.startsWith('evals/') ? to.slice('evals/'.length) : `fixtures/${to}`
  const found = lookBelow(evalsDir, rest, fs)
  if (found === 'file' || found === 'folder') return `; write ${JSON.stringify(rest)}`
  return suggestBeside(to, evalsDir, fs)
}

function resolveWorkspaceFile(
  entry: WorkspaceFile,
  field: string,
  { evalsDir, fs, ownPaths }: FixtureSearch,
  report: Report,
): WorkspaceFile {
  const reserved = checkReserved(entry.to, ownPaths)
  if (reserved !== null) report(field, entry.at, 'reserved-path', reserved)
  if (reserved !== null || entry.from === null) return entry

  for (const folder of [evalsDir, join(evalsDir, 'fixtures')]) {
    const found = lookBelow(folder, entry.to, fs)
    if (found === 'file') return { ...entry, from: join(folder, entry.to) }
    if (found === 'folder') report(field, entry.at, 'not-a-file', `${entry.to} is a folder; name the files in it`)
    else if (found !== null) report(field, entry.at, 'not-a-file', `${entry.to} ${found}`)
    if (found !== null) break
  }

  return { ...entry, from: null }
}

// The answers must stay out of the workspace, and a fixture must not reconfigure the agent that it is for.
function checkReserved(path: string, ownPaths: readonly string[]): string | null {
  const key = collisionKey(path)
  const isBelow = (folder: string): boolean => key === folder || key.startsWith(`${folder}/`)
  if (ANSWERS.some(isBelow)) return `${path} is part of the evals; the agent must not see it`
  if ([...ownPaths, '.git', 'package.agent.json'].some(isBelow))
    return `${path} configures the agent; move it to the package`
  return null
}

const ANSWERS = ['cases', 'reports', 'recordings', 'scenarios', 'eval-config.json']

/** `file`, `folder`, `null` for nothing, else why it is refused; every step is looked at, so that no link leads out. */
function lookBelow(folder: string, path: string, fs: TrackedFs): string | null {
  const parts = path.split('/')
  for (const [index, part] of parts.entries()) {
    const current = join(folder, ...parts.slice(0, index), part)
    const stats = fs.look(current)
    if (stats === null) return null
    const isLast = index === parts.length - 1
    if (stats.isSymbolicLink()) return isLast ? 'is a symbolic link; copy the file itself' : 'is below a symbolic link'
    if (!isLast && !stats.isDirectory()) return null
    if (isLast && stats.isDirectory()) return 'folder'
    if (isLast) return stats.isFile() ? 'file' : `is ${describeKind(stats) ?? 'special'}, not a regular file`
  }

  return null
}

async function listFolder(
  entry: FixtureFile,
  field: string,
  fs: TrackedFs,
  report: Report,
): Promise<readonly FixtureFile[]> {
  const files: FixtureFile[] = []
  const folders = [{ from: entry.from, to: entry.to }]
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const child of await fs.list(folder.from)) {
      if (child.name === '.git') continue
      const found = { from: join(folder.from, child.name), to: `${folder.to}/${child.name}` }
      if (child.isDirectory()) folders.push(found)
      else if (child.isFile()) files.push({ ...found, at: entry.at })
      else
        report(field, entry.at, 'not-a-file', `${found.to} is ${describeKind(child) ?? 'special'}, not a regular file`)
    }

    if (files.length <= MAX_FOLDER_FILES) continue
    report(field, entry.at, 'too-many-files', `${entry.to} holds more than ${MAX_FOLDER_FILES} files; name fewer`)
    return []
  }

  if (files.length === 0) report(field, entry.at, 'file-missing', `the folder ${entry.to} holds no file`)
  return files
}

function reportCollisions(destinations: readonly Destination[], report: Report): void {
  const seen = reportSamePaths(destinations, ({ field, at }, message) => report(field, at, 'same-path', message))
  for (const { to, at, field } of destinations) {
    const parts = collisionKey(to).split('/')
    const parent = parts
      .slice(1)
      .map((_, index) => seen.get(parts.slice(0, index + 1).join('/')))
      .find((path) => path !== undefined)
    if (parent !== undefined) report(field, at, 'same-path', `${parent} cannot be a file and the folder of ${to}`)
  }
}

/** Reports each file that lands on another one, and returns the path of the last one by its key. */
export function reportSamePaths<Placed extends { readonly to: string }>(
  files: readonly Placed[],
  report: (file: Placed, message: string) => void,
): ReadonlyMap<string, string> {
  const seen = new Map<string, string>()
  for (const file of files) {
    const { to } = file
    const key = collisionKey(to)
    const other = seen.get(key)
    if (other === to) report(file, `${to} is named twice; remove one`)
    else if (other !== undefined) report(file, `${to} and ${other} are the same file on case-insensitive disks`)
    seen.set(key, to)
  }
  return seen
}
