import { join } from 'node:path'
import { errorIn, type Issue } from '../../lib/documents/document.ts'
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
  const report: Report = ({ at, field = '' }, code, message) => {
    issues.push({ ...errorIn(suite.file, code, message, at), field })
  }
  const files: FixtureFile[] = []
  for (const entry of named.files) files.push(...(await resolveFixture(entry, search, report)))
  const workspaceFiles = named.workspaceFiles.map((entry) => resolveWorkspaceFile(entry, search, report))
  reportCollisions([...files, ...workspaceFiles], report)
  // Each file has one case, so that nothing else needs the field.
  const found = {
    files: files.map(({ field: _field, ...file }) => file),
    workspaceFiles: workspaceFiles.map(({ field: _field, ...file }) => file),
  }
  const cases = suite.cases.map((evalCase) => ({ ...evalCase, ...found }))
  return { ...suite, cases, issues: [...suite.issues, ...issues] }
}

/** Where the files of a case are, and may not land. */
export interface FixtureSearch {
  readonly evalsDir: string
  readonly fs: TrackedFs
  readonly ownPaths: readonly string[]
}

/** Reports what is wrong with a file, at the entry that names it. */
export type Report = (entry: Pick<FixtureFile, 'at' | 'field'>, code: string, message: string) => void

async function resolveFixture(
  entry: FixtureFile,
  { evalsDir, fs, ownPaths }: FixtureSearch,
  report: Report,
): Promise<readonly FixtureFile[]> {
  const reserved = checkReserved(entry.to, ownPaths)
  if (reserved !== null) {
    report(entry, 'reserved-path', reserved)
    return []
  }

  const found = lookBelow(evalsDir, entry.to, fs)
  if (found === 'file') return [entry]
  if (found === 'folder') return listFolder(entry, fs, report)
  if (found === null) {
    const hint = await whatToWrite(entry, evalsDir, fs)
    report(entry, 'file-missing', `${entry.to} does not exist below the folder of the evals${hint}`)
  } else report(entry, 'not-a-file', `${entry.to} ${found}`)
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
  { evalsDir, fs, ownPaths }: FixtureSearch,
  report: Report,
): WorkspaceFile {
  const reserved = checkReserved(entry.to, ownPaths)
  if (reserved !== null) report(entry, 'reserved-path', reserved)
  if (reserved !== null || entry.from === null) return entry

  for (const folder of [evalsDir, join(evalsDir, 'fixtures')]) {
    const found = lookBelow(folder, entry.to, fs)
    if (found === 'file') return { ...entry, from: join(folder, entry.to) }
    if (found === 'folder') report(entry, 'not-a-file', `${entry.to} is a folder; name the files in it`)
    else if (found !== null) report(entry, 'not-a-file', `${entry.to} ${found}`)
    if (found !== null) break
  }

  return { ...entry, from: null }
}

// The answers must stay out of the workspace, and a fixture must not reconfigure the agent that it is for.
function checkReserved(path: string, ownPaths: readonly string[]): string | null {
  if (isWithin(path, ANSWERS)) return `${path} is part of the evals; the agent must not see it`
  return isWithin(path, [...ownPaths, '.git', 'package.agent.json'])
    ? `${path} configures the agent; move it to the package`
    : null
}

/** Whether a path is one of these or below one, on a disk that ignores case too. */
export function isWithin(path: string, places: readonly string[]): boolean {
  const key = collisionKey(path)
  return places.some((place) => key === place || key.startsWith(`${place}/`))
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

async function listFolder(entry: FixtureFile, fs: TrackedFs, report: Report): Promise<readonly FixtureFile[]> {
  const files: FixtureFile[] = []
  const folders = [{ from: entry.from, to: entry.to }]
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const child of await fs.list(folder.from)) {
      if (child.name === '.git') continue
      const found = { from: join(folder.from, child.name), to: `${folder.to}/${child.name}` }
      if (child.isDirectory()) folders.push(found)
      else if (child.isFile()) files.push({ ...entry, ...found })
      else report(entry, 'not-a-file', `${found.to} is ${describeKind(child) ?? 'special'}, not a regular file`)
    }

    if (files.length <= MAX_FOLDER_FILES) continue
    report(entry, 'too-many-files', `${entry.to} holds more than ${MAX_FOLDER_FILES} files; name fewer`)
    return []
  }

  if (files.length === 0) report(entry, 'file-missing', `the folder ${entry.to} holds no file`)
  return files
}

function reportCollisions(files: readonly Placed[], report: Report): void {
  const seen = reportSamePaths(files, report)
  for (const file of files) {
    const { to } = file
    const parts = collisionKey(to).split('/')
    const parent = parts
      .slice(1)
      .map((_, index) => seen.get(parts.slice(0, index + 1).join('/')))
      .find((path) => path !== undefined)
    if (parent !== undefined) report(file, 'same-path', `${parent} cannot be a file and the folder of ${to}`)
  }
}

type Placed = Pick<FixtureFile, 'at' | 'field' | 'to'>

/** Reports each file that lands on another one, and returns the path of the last one by its key. */
export function reportSamePaths(files: readonly Placed[], report: Report): ReadonlyMap<string, string> {
  const seen = new Map<string, string>()
  for (const file of files) {
    const { to } = file
    const key = collisionKey(to)
    const other = seen.get(key)
    if (other === to) report(file, 'same-path', `${to} is named twice; remove one`)
    else if (other !== undefined)
      report(file, 'same-path', `${to} and ${other} are the same file on case-insensitive disks`)
    seen.set(key, to)
  }
  return seen
}
