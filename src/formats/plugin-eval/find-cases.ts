import { basename, dirname, join, posix, resolve, sep } from 'node:path'
import { errorAt, valueAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { readDocument, readFrontMatter } from '../../lib/documents/read-document.ts'
import { openTrackedFs, type TrackedFs } from '../../lib/documents/read-text.ts'
import { foldersUpTo, tryReadJson } from '../../lib/files.ts'
import { isJsonObject } from '../../lib/json.ts'
import { isBelow } from '../../lib/links.ts'
import { groupBy } from '../../lib/lists.ts'
import { PLUGIN_FILE, namedEvals, pathBelow, pathFrom } from '../../packages/package-root.ts'
import { NEVER_SUITE_GLOBS, escapePath, findFiles } from '../discover.ts'
import { isGoldenTest } from '../golden/golden-test.ts'
import { NEVER_SUITE_FOLDERS } from '../paths.ts'
import { GRADER_TYPES } from './schema.ts'

/** Finds what lies at the place of a case below a Vitest root: in a folder of evals, or where the manifest of a plugin says. */
export async function findCaseFiles(root: string): Promise<readonly string[]> {
  const cases = '**/{case.yaml,prompt.md}'
  const found = await findFiles(root, [`**/evals/${cases}`, '**/plugin.json'], NEVER_SUITE_GLOBS)
  const manifests = found.filter((file) => basename(file) === 'plugin.json')
  const named = manifests.flatMap((file) => {
    const folder = dirname(file)
    const evals = namedEvals(tryReadJson(file))
    const plugin = basename(folder) === '.claude-plugin' ? dirname(folder) : folder
    return evals === null ? [] : [`${escapePath(posix.join(pathFrom(root, plugin), evals))}/${cases}`]
  })
  const more = named.length === 0 ? [] : await findFiles(root, named, NEVER_SUITE_GLOBS)
  return [...new Set([...found.filter((file) => !manifests.includes(file)), ...more])]
}

/** The files that may define a case. */
export const CASE_FILES: ReadonlySet<string> = new Set(['case.yaml', 'prompt.md'])

/** Folders below `evals` that Claude Code never looks into. */
const SKIPPED: ReadonlySet<string> = new Set(['mocks', 'node_modules', 'results'])

// Other prompts have a model and variables too.
const OWN_FIELDS: ReadonlySet<string> = new Set(['allowed_tools', 'disallowed_tools', 'max_turns', 'timeout_seconds'])

/**
 * The folder of all evals around the file of a case: the one that the manifest of the plugin around it names, else the
 * outermost `evals` below that plugin, else below the root. A manifest in the folder of evals itself makes no plugin
 * around it.
 */
export function evalsDirOf(file: string, root: string, fs: Pick<TrackedFs, 'look'>): string | null {
  if (!CASE_FILES.has(basename(file))) return null
  for (let folder = dirname(file); ;) {
    const above = nearestManifest(folder, root, fs) ?? root
    const below = pathBelow(above, file) ?? ''
    const named = namedEvals(readManifest(above, fs))
    if (named !== null) return below.startsWith(`${named}/`) ? join(above, named) : null
    const parts = below.split('/')
    const at = parts.indexOf('evals')
    if (at !== -1) return [above, ...parts.slice(0, at + 1)].join(sep)
    if (above === root) return null
    folder = dirname(above)
  }
}

/** Of files at such places those that define a case: one file a case, `case.yaml` before `prompt.md`. */
export async function findCases(files: readonly string[], root: string): Promise<readonly string[]> {
  const fs = openTrackedFs()
  const groups = groupBy(files, (file) => evalsDirOf(file, root, fs))
  const found = await Promise.all(
    [...groups].map(async ([evalsDir, group]) => {
      if (evalsDir === null) return []
      const searched = group.filter((file) => !isSkipped(evalsDir, file))
      return searched.length === 0 ? [] : findInFolder([...searched, ...(await findLinked(evalsDir, fs))], root, fs)
    }),
  )
  return [...new Set(found.flat())].toSorted()
}

// A case behind a link is none, and loading it says so. A search for files does not show links.
async function findLinked(folder: string, fs: TrackedFs): Promise<readonly string[]> {
  const entries = await fs.list(folder)
  const isCase = entries.some(({ name }) => CASE_FILES.has(name))
  const found = entries.map(async (entry): Promise<readonly string[]> => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return isCase || SKIPPED.has(entry.name) || NEVER_SUITE_FOLDERS.includes(entry.name) ? [] : findLinked(path, fs)
    if (!entry.isSymbolicLink()) return []
    if (CASE_FILES.has(entry.name)) return [path]
    return [...CASE_FILES].map((name) => join(path, name)).filter((file) => fs.look(file) !== null)
  })
  return (await Promise.all(found)).flat()
}

function isSkipped(evalsDir: string, file: string): boolean {
  const folders = pathBelow(evalsDir, file)?.split('/').slice(0, -1) ?? []
  return folders.some((folder) => SKIPPED.has(folder))
}

// Where one case of a folder of evals reads like one of this format, all that is at such a place is: mistakes included.
async function findInFolder(files: readonly string[], root: string, fs: TrackedFs): Promise<readonly string[]> {
  const dirs = [...new Set(files.map((file) => dirname(file)))]
  const cases = dirs.filter((dir) => !dirs.some((other) => dir.startsWith(`${other}${sep}`)))
  const answers = await Promise.all(cases.map((dir) => isCaseDir(dir, root, fs)))
  if (!answers.includes(true)) return []
  const candidates = cases.map((dir) => files.find((file) => file === join(dir, 'case.yaml')) ?? join(dir, 'prompt.md'))
  const isMine = await Promise.all(candidates.map((file) => isCaseOfPlugin(file, root, fs)))
  return candidates.filter((_, index) => isMine[index] === true)
}

async function isCaseDir(dir: string, root: string, fs: TrackedFs): Promise<boolean> {
  const yaml = await fs.readText(join(dir, 'case.yaml'))
  if (yaml.text !== null && isCaseFile(yaml.text, dir)) return true
  const prompt = await fs.readText(join(dir, 'prompt.md'))
  if (prompt.text === null) return false
  const front = readFrontMatter(prompt.text, dir).document?.value
  const keys = isJsonObject(front) ? Object.keys(front) : []
  if (keys.some((key) => OWN_FIELDS.has(key))) return true
  const entries = await fs.list(join(dir, 'graders'))
  const graders = entries.filter(({ name }) => name.endsWith('.md'))
  // A plugin has no other tool's graders, so one that cannot be read, or is missing, is a mistake of the case.
  const isOfPlugin = fs.look(join(dir, 'graders'))?.isDirectory() === true && nearestManifest(dir, root, fs) !== null
  if (isOfPlugin && graders.length === entries.length) return true
  const types = await Promise.all(graders.map(({ name }) => typeOfGrader(join(dir, 'graders', name), fs)))
  return types.some((type) => typeof type === 'string' && GRADER_TYPES.includes(type))
}

function isCaseFile(text: string, file: string): boolean {
  const { value } = readDocument(text, { kind: 'yaml', file })
  return valueAt(value, 'schema_version') !== undefined || Array.isArray(valueAt(value, 'graders'))
}

async function typeOfGrader(file: string, fs: TrackedFs): Promise<unknown> {
  const { text } = await fs.readText(file)
  return text === null ? undefined : valueAt(readFrontMatter(text, file).document?.value, 'type')
}

/** Whether a file has the place of a case, and is neither a case of the package format nor a golden test. */
export async function isCaseOfPlugin(file: string, root: string, fs: Pick<TrackedFs, 'look'>): Promise<boolean> {
  if (!CASE_FILES.has(basename(file))) return false
  if (!file.split(sep).slice(0, -1).includes('evals') && evalsDirOf(file, root, fs) === null) return false
  const folders = file.split(sep).slice(-3, -1)
  return folders.join('/') !== 'evals/cases' && !(await isGoldenTest(file))
}

/** Where a case looks for its plugins; absolute paths. */
interface PluginSearch {
  readonly caseDir: string
  readonly evalsDir: string
  /** The Vitest root. */
  readonly root: string
  readonly fs: Pick<TrackedFs, 'look'>
}

/** Absolute paths of the plugins of a case: those that it names, else the nearest one around it. */
export function resolvePlugins(
  plugins: readonly string[],
  merged: ReadDocument,
  { caseDir, evalsDir, root, fs }: PluginSearch,
): { readonly dirs: readonly string[]; readonly issues: readonly Issue[] } {
  // The copy that the agent gets would contain the graders.
  const holdsCase = (dir: string): boolean => isBelow(dir, evalsDir) && isBelow(caseDir, dir)
  if (plugins.length === 0) {
    // A folder with a manifest, else one above the case that is a skill.
    const nearest = nearestManifest(caseDir, root, fs) ?? nearestWith(['SKILL.md'], dirname(caseDir), root, fs)
    if (nearest === null || !holdsCase(nearest)) return { dirs: nearest === null ? [] : [nearest], issues: [] }
    const message = `the plugin of the case would be ${pathFrom(root, nearest)}, inside the folder of evals, which no agent may read; move its manifest or SKILL.md out`
    return { dirs: [], issues: [errorAt(merged, ['plugins'], 'plugin-in-evals', message)] }
  }
  const dirs = plugins.map((written) => resolve(caseDir, written))
  const problemOf = (dir: string): string | null => {
    const path = stepsBelow(root, dir, fs)
    if (path === null) return 'is outside of the repository'
    if (path.includes(null)) return 'does not exist; paths are relative to the folder of the case'
    if (path.some((stats) => stats?.isDirectory() !== true)) return 'is not a folder, or behind a link'
    return holdsCase(dir) ? 'contains the case, and no agent may read the folder of evals' : null
  }
  const issues = dirs.flatMap((dir, index) => {
    const problem = problemOf(dir)
    const message = `${plugins[index]} ${problem}`
    return problem === null ? [] : [errorAt(merged, ['plugins', index], 'unknown-plugin', message)]
  })
  return { dirs, issues }
}

/** What each step of the way from a folder to a path is, `null` for nothing; `null` for a path that is not below it. */
export function stepsBelow(
  folder: string,
  path: string,
  fs: Pick<TrackedFs, 'look'>,
): readonly ReturnType<TrackedFs['look']>[] | null {
  const below = path === folder ? '' : pathBelow(folder, path)
  const steps = below?.split('/').filter((step) => step !== '')
  return steps?.map((_, at) => fs.look([folder, ...steps.slice(0, at + 1)].join(sep))) ?? null
}

/** The nearest folder with the manifest of a plugin; `null` where there is none up to the root. */
function nearestManifest(folder: string, root: string, fs: Pick<TrackedFs, 'look'>): string | null {
  return nearestWith(MANIFESTS, folder, root, fs)
}

// The first that is there counts.
const MANIFESTS = [PLUGIN_FILE, 'plugin.json']

function readManifest(plugin: string, fs: Pick<TrackedFs, 'look'>): unknown {
  const file = MANIFESTS.map((name) => join(plugin, name)).find((path) => fs.look(path) !== null)
  return file === undefined ? null : tryReadJson(file)
}

function nearestWith(
  names: readonly string[],
  folder: string,
  root: string,
  fs: Pick<TrackedFs, 'look'>,
): string | null {
  if (!isBelow(folder, root)) return null
  const hasOne = (dir: string): boolean => names.some((name) => fs.look(join(dir, name)) !== null)
  return foldersUpTo(root, folder).find(hasOne) ?? null
}
