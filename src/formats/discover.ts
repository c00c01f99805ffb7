import { dirname, join, resolve } from 'node:path'
import { glob } from 'tinyglobby'
import { errorIn, type Issue } from '../lib/documents/document.ts'
import { describeKind, readText } from '../lib/documents/read-text.ts'
import { listEntries } from '../lib/files.ts'
import { mapInPortions } from '../lib/lists.ts'
import { isCreatorWorkspace } from '../packages/package-root.ts'
import { NEVER_SUITE_FOLDERS } from './paths.ts'
import { TEST_GLOBS, isOurTest } from './places.ts'

/** Where suites never are: in one glob, since each is compiled for each search. */
export const NEVER_SUITE_GLOBS: readonly string[] = [`**/{${NEVER_SUITE_FOLDERS.join(',')}}/**`]

/**
 * Globs of the folders that never hold a suite, for a project with these files, relative to its root: what was found in a
 * skill called `reports` is not left out, and everything below its evals is.
 */
export function neverSuiteGlobs(files: readonly string[]): readonly string[] {
  const folders = new Set(files.flatMap((file) => file.split(/[/\\]/).slice(0, -1)))
  return NEVER_SUITE_FOLDERS.map((folder) =>
    folders.has(folder) ? `**/{eval,evals}/**/${folder}/**` : `**/${folder}/**`,
  )
}

/** What is at a place of suites and is no regular file, such as a link or a named pipe: it is never read. */
export async function findIrregularSuites(root: string): Promise<readonly Issue[]> {
  const folders = await findFiles(root, SUITE_FOLDER_GLOBS, NEVER_SUITE_GLOBS, { onlyDirectories: true })
  const entries = folders.flatMap((folder) => listEntries(folder))
  return entries.flatMap((entry): readonly Issue[] => {
    const kind = describeKind(entry)
    const isPlace = entry.isSymbolicLink() ? IRREGULAR_NAMES.test(entry.name) : /\.(?:ya?ml|json)$/.test(entry.name)
    if (kind === null || entry.isDirectory() || !isPlace) return []
    const message = `is ${kind}, not a regular file, and is not read; put a file in its place`
    return [errorIn(join(entry.parentPath, entry.name), 'not-a-file', message)]
  })
}

const SUITE_FOLDER_GLOBS = ['evals', '**/evals', '**/evals/cases']
const IRREGULAR_NAMES = /\.(?:ya?ml|json)$|^cases$/

/** Files at the places of one kind of suite: absolute paths, sorted. */
export interface Discovered {
  readonly ours: readonly string[]
  /** What another tool keeps at such a place. */
  readonly others: readonly string[]
}

const UNREAD_GLOBS = ['**/.git/**', '**/node_modules/**']

/** Finds the files of free tests below a Vitest root. Links are not followed. */
export function discoverTests(root: string): Promise<Discovered> {
  return discover(root, TEST_GLOBS, isOurTest, UNREAD_GLOBS)
}

/** Finds files by globs, and tells ours from those of other tools. Links are not followed. */
export async function discover(
  root: string,
  globs: readonly string[],
  isOwned: (file: string) => Promise<boolean>,
  ignore: readonly string[] = NEVER_SUITE_GLOBS,
): Promise<Discovered> {
  const found = await findFiles(root, globs, ignore)
  const answers = await mapInPortions(found, isOwned)
  const sorted = (isOurs: boolean): readonly string[] =>
    found.filter((_, index) => answers[index] === isOurs).toSorted()
  return { ours: sorted(true), others: sorted(false) }
}

/** Where evals written in TypeScript may lie. */
export const EVAL_FILE_GLOBS: readonly string[] = ['**/*.eval.{ts,mts,js,mjs}']

/** Finds the evals written in TypeScript: ours import this package. */
export function discoverEvals(root: string): Promise<Discovered> {
  return discover(root, EVAL_FILE_GLOBS, async (file) => {
    const { text } = await readText(file)
    return text !== null && IMPORTS_US.test(text)
  })
}

/** Whether a module imports the fixture that runs agents. */
export function importsFixture(text: string): boolean {
  return IMPORTS_FIXTURE.test(text)
}

const IMPORTS_FIXTURE = /['"]vitest-agent-evals\/test['"]/
const IMPORTS_US = /['"]vitest-agent-evals(?:\/[\w/-]+)?['"]/

/**
 * Finds files by globs, hidden ones too: absolute paths. Links are not followed, and nothing is found in the folder of runs
 * that skill-creator keeps beside a skill.
 */
export async function findFiles(
  root: string,
  globs: readonly string[],
  ignore: readonly string[],
  kind: { readonly onlyDirectories?: boolean } = {},
): Promise<readonly string[]> {
  const found = await glob([...globs], {
    ...kind,
    cwd: root,
    ignore: [...ignore],
    absolute: true,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
  })
  const answers = new Map<string, boolean>()
  const isKept = (folder: string): boolean => {
    const answer = answers.get(folder) ?? (folder === root || (!isCreatorWorkspace(folder) && isKept(dirname(folder))))
    answers.set(folder, answer)
    return answer || dirname(folder) === folder
  }
  return found.filter((file) => isKept(dirname(resolve(file))))
}

/** A path as a glob that matches nothing else. */
export { escapePath } from 'tinyglobby'
